//! Files of self-play games: what is read is legal to its last move and is written back as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longan::tools::datagen::stats::Stats;
use longan::tools::datagen::viriformat::GameReader;

fuzz_target!(|data: &[u8]| {
    let mut reader = GameReader::new(data);
    for game in reader.by_ref() {
        let Ok(game) = game else { break };
        for (position, ply) in game.positions() {
            assert!(position.is_legal(ply.mv));
        }
        let mut bytes = Vec::new();
        game.write_to(&mut bytes);
        let again = GameReader::new(&*bytes).next().expect("a game").expect("no damage");
        assert_eq!((again.start.key(), again.result), (game.start.key(), game.result));
        assert_eq!(again.plies, game.plies);
    }
    assert!(reader.whole_bytes() + reader.cut_bytes() <= data.len() as u64);
    let _ = Stats::of_games(data).map(|stats| stats.gates());
});
