//! Opening books: their moves are legal in any position, and only those with a weight are played.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longan::board::Position;
use longan::book::{Book, key};
use longan::rng::Rng;

fuzz_target!(|data: &[u8]| {
    let book = match Book::from_bytes(data.to_vec()) {
        Ok(book) => book,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(book.len() * 16, data.len());
    // The first entry's key is made that of each position, so that it is found.
    let mut rng = Rng::stream(1, 2, 3);
    let mut position = Position::startpos();
    for ply in 0..40 {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mut bytes = data[..16].to_vec();
        bytes[..8].copy_from_slice(&key(&position).to_be_bytes());
        bytes[8] ^= ply;
        for book in [&book, &Book::from_bytes(bytes).expect("one entry is sorted")] {
            let moves = book.moves(&position);
            assert!(moves.iter().all(|(mv, _)| legal.contains(mv)));
            match book.choose(&position, &mut rng) {
                Some(chosen) => assert!(moves.iter().any(|&(mv, weight)| mv == chosen && weight > 0)),
                None => assert!(moves.iter().all(|&(_, weight)| weight == 0)),
            }
        }
        position.play(legal[usize::from(data[usize::from(ply) % data.len()]) % legal.len()]);
    }
});
