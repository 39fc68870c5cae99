//! From a position to its number in a table: the enumeration that the Syzygy format defines.
//!
//! A table numbers the placements of its men, group by group. The leading group uses the
//! symmetry of the board: without pawns two kings or three different men, the first of them in
//! the triangle a1–d1–d4; with pawns the pawns of one colour, the first of them on the files a
//! to d (each of these files has a table of its own). Every further group holds equal men and
//! is numbered as a combination of the squares that are left.

#![forbid(unsafe_code)]

use std::cmp::Reverse;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::material::{MAX_MEN, Material};
use crate::attacks;
use crate::board::Position;
use crate::types::{Bitboard, Color, Piece, Square};

/// Squares a pawn can stand on.
const PAWN_SQUARES: usize = 48;
/// Placements of two kings, and of three different men, up to symmetry.
const TWO_KINGS: u64 = 462;
const THREE_MEN: u64 = 31_332;
/// Squares of the triangle, without its diagonal and with it.
const OFF_DIAGONAL: usize = 6;
const TRIANGLE: usize = 10;

/// The men of a table, ordered and grouped as one of its parts wants them.
#[derive(Clone, Debug)]
pub(super) struct Arrangement {
    /// Codes of the men: 1 to 6 for pawn to king of the first side, 9 to 14 of the second.
    men: ArrayVec<u8, MAX_MEN>,
    /// How many men each group has.
    groups: ArrayVec<usize, MAX_MEN>,
    /// What one step of each group's number is worth.
    factors: ArrayVec<u64, MAX_MEN>,
    lead: Lead,
    /// How many numbers there are.
    pub size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    Kings,
    ThreeMen,
    /// Pawns, and whether the second group are the other side's pawns.
    Pawns {
        both: bool,
    },
}

/// C(n, k).
fn binomial(n: usize, k: usize) -> u64 {
    if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) as u64 / (i as u64 + 1)) }
}

impl Arrangement {
    /// Reads the arrangement from the header of a table: the places of the leading groups in
    /// the order of the digits, and the codes of the men. `file` is that of the leading pawn, 0
    /// to 3. `None` if the men are not those of the table.
    pub fn new(material: Material, order: [u8; 2], men: &[u8], file: usize) -> Option<Self> {
        let mut men_left = men;
        let mut groups = ArrayVec::new();
        let mut take = |count: usize| {
            let (group, rest) = men_left.split_at_checked(count)?;
            men_left = rest;
            groups.push(count);
            Some(group)
        };
        let same = |group: &[u8]| group.iter().all(|&man| man == group[0]);
        let pawns = material.pawns();
        let lead = if pawns == [0, 0] {
            let kings = material.only_kings_are_single();
            take(if kings { 2 } else { 3 })?;
            if kings { Lead::Kings } else { Lead::ThreeMen }
        } else {
            let both = pawns[0] > 0 && pawns[1] > 0;
            let (few, many) = (pawns[0].min(pawns[1]), pawns[0].max(pawns[1]));
            let counts = if both { [few, many] } else { [many, 0] };
            for count in counts.into_iter().filter(|&count| count > 0) {
                let group = take(count)?;
                if group[0] & 7 != 1 || !same(group) {
                    return None;
                }
            }
            Lead::Pawns { both }
        };
        while let Some(&first) = men_left.first() {
            let count = men_left.iter().take_while(|&&man| man == first).count();
            groups.push(count);
            men_left = &men_left[count..];
        }
        let codes = men.iter().copied().collect();
        let mut new = Self { men: codes, groups, factors: ArrayVec::new(), lead, size: 0 };
        new.is_of(material).then_some(())?;
        new.weigh(order, file)?;
        Some(new)
    }

    fn is_of(&self, material: Material) -> bool {
        let letters = |first: u8| -> String {
            self.men
                .iter()
                .filter(|&&man| man & 8 == first)
                .map(|&man| [' ', 'P', 'N', 'B', 'R', 'Q', 'K', ' '][usize::from(man & 7)])
                .collect()
        };
        let sorted = |text: String| {
            let mut letters: Vec<_> = text.chars().collect();
            letters.sort_by_key(|&letter| letter != 'K');
            letters.into_iter().collect::<String>()
        };
        Material::from_name(&format!("{}v{}", sorted(letters(0)), sorted(letters(8)))) == Some(material)
    }

    /// Computes the factors: the groups are digits of a number with mixed bases, the leading
    /// ones at the places that `order` names.
    fn weigh(&mut self, order: [u8; 2], file: usize) -> Option<()> {
        let leading = if self.lead == (Lead::Pawns { both: true }) { 2 } else { 1 };
        let mut factors = vec![0; self.groups.len()];
        let mut free = 64 - self.groups[..leading].iter().sum::<usize>();
        let mut others = leading..self.groups.len();
        let mut factor: u64 = 1;
        for place in 0..self.groups.len() {
            let place = place as u8;
            let (group, base) = if place == order[0] {
                let base = match self.lead {
                    Lead::Kings => TWO_KINGS,
                    Lead::ThreeMen => THREE_MEN,
                    Lead::Pawns { .. } => MAPS.lead_sizes[self.groups[0]][file],
                };
                (0, base)
            } else if leading == 2 && place == order[1] {
                (1, binomial(PAWN_SQUARES - self.groups[0], self.groups[1]))
            } else {
                let group = others.next()?;
                let base = binomial(free, self.groups[group]);
                free -= self.groups[group];
                (group, base)
            };
            factors[group] = factor;
            factor = factor.checked_mul(base)?;
        }
        self.factors = factors.into_iter().collect();
        self.size = factor;
        Some(())
    }

    /// The squares of the men in the table's order. With `exchange` the sides of the position
    /// are the other way round than the table's.
    fn squares(&self, position: &Position, exchange: bool) -> ArrayVec<usize, MAX_MEN> {
        let mut squares = ArrayVec::new();
        let mirror = if exchange && matches!(self.lead, Lead::Pawns { .. }) { 56 } else { 0 };
        while let Some(&man) = self.men.get(squares.len()) {
            let color = if (man & 8 != 0) == exchange { Color::White } else { Color::Black };
            let piece = Piece::ALL[usize::from(man & 7) - 1];
            let found = position.pieces(color, piece);
            if found.is_empty() {
                break;
            }
            squares.extend(found.into_iter().map(|square| square.index() ^ mirror));
        }
        squares
    }

    /// The number of a position of this material. `None` never happens then.
    pub fn index(&self, position: &Position, exchange: bool) -> Option<u64> {
        let mut squares = self.squares(position, exchange);
        if squares.len() != self.men.len() {
            return None;
        }
        let lead_count = self.groups[0];
        let mut index = match self.lead {
            Lead::Pawns { .. } => {
                lead_with_pawn(&mut squares[..lead_count]);
                if squares[0] & 4 != 0 {
                    squares.iter_mut().for_each(|square| *square ^= 7);
                }
                pawns_number(&mut squares[..lead_count])
            }
            Lead::Kings | Lead::ThreeMen => {
                into_triangle(&mut squares, lead_count);
                match self.lead {
                    Lead::Kings => MAPS.kings[MAPS.triangle[squares[0]]][squares[1]],
                    _ => three_men_number(squares[0], squares[1], squares[2]),
                }
            }
        } * self.factors[0];
        let mut done = lead_count;
        for (number, (&count, factor)) in self.groups.iter().zip(&self.factors).enumerate().skip(1) {
            let (before, rest) = squares.split_at_mut(done);
            let group = &mut rest[..count];
            group.sort_unstable();
            // Pawns of the second group have no squares on the first rank.
            let lowest = if number == 1 && self.lead == (Lead::Pawns { both: true }) { 8 } else { 0 };
            let combination: u64 = group
                .iter()
                .enumerate()
                .map(|(i, &square)| {
                    let taken = before.iter().filter(|&&other| other < square).count();
                    binomial(square - taken - lowest, i + 1)
                })
                .sum();
            index += combination * factor;
            done += count;
        }
        Some(index)
    }

    /// The file of the leading pawn, 0 to 3: which part of the table holds the position.
    pub fn lead_file(&self, position: &Position, exchange: bool) -> usize {
        let mut squares = self.squares(position, exchange);
        let count = self.groups[0].min(squares.len());
        lead_with_pawn(&mut squares[..count]);
        let file = squares.first().map_or(0, |square| square & 7);
        file.min(7 - file)
    }
}

/// Puts the pawn that leads into first place: the one nearest to the edge, and among those the
/// one nearest to its start.
fn lead_with_pawn(pawns: &mut [usize]) {
    // Of a pawn and its mirror image, whose numbers differ in the last bit, the earlier leads.
    if let Some(first) = (0..pawns.len()).min_by_key(|&i| Reverse(MAPS.pawns[pawns[i]] | 1)) {
        pawns.swap(0, first);
    }
}

/// The number of the leading pawns, of which the first leads.
fn pawns_number(pawns: &mut [usize]) -> u64 {
    let (count, lead) = (pawns.len(), pawns[0]);
    pawns[1..].sort_unstable_by_key(|&pawn| Reverse(MAPS.pawns[pawn]));
    let others = pawns[1..].iter().enumerate();
    MAPS.lead_numbers[count][lead]
        + others.map(|(i, &pawn)| binomial(MAPS.pawns[pawn], count - 1 - i)).sum::<u64>()
}

/// Mirrors the board so that the first man stands in the triangle a1–d1–d4 and, of the first
/// `leading` men, the first that is off the diagonal a1–h8 stands below it.
fn into_triangle(squares: &mut [usize], leading: usize) {
    let flips = (if squares[0] & 4 != 0 { 7 } else { 0 }) | (if squares[0] & 32 != 0 { 56 } else { 0 });
    squares.iter_mut().for_each(|square| *square ^= flips);
    let off = squares[..leading].iter().map(|&square| above_diagonal(square)).find(|&off| off != 0);
    if off.is_some_and(|off| off > 0) {
        squares.iter_mut().for_each(|square| *square = *square >> 3 | (*square & 7) << 3);
    }
}

/// By how many ranks a square lies above the diagonal a1–h8.
fn above_diagonal(square: usize) -> isize {
    (square >> 3) as isize - (square & 7) as isize
}

/// The number of three different men, the first in the triangle.
fn three_men_number(first: usize, second: usize, third: usize) -> u64 {
    let second_skip = usize::from(second > first);
    let third_skip = usize::from(third > first) + usize::from(third > second);
    let (pairs, below) = (63 * 62, 28);
    let number = if above_diagonal(first) != 0 {
        MAPS.triangle[first] * pairs + (second - second_skip) * 62 + third - third_skip
    } else if above_diagonal(second) != 0 {
        OFF_DIAGONAL * pairs + ((first & 7) * below + MAPS.below[second]) * 62 + third - third_skip
    } else if above_diagonal(third) != 0 {
        let number = (first & 7) * 7 + (second & 7) - second_skip;
        OFF_DIAGONAL * pairs + 4 * below * 62 + number * below + MAPS.below[third]
    } else {
        let number = ((first & 7) * 7 + (second & 7) - second_skip) * 6 + (third & 7) - third_skip;
        OFF_DIAGONAL * pairs + 4 * below * 62 + 4 * 7 * below + number
    };
    number as u64
}

/// Numbers of squares and of small sets of them.
struct Maps {
    /// The squares of the triangle: those off the diagonal first.
    triangle: [usize; 64],
    /// The squares below the diagonal; those above it have the number of their mirror image.
    below: [usize; 64],
    /// Two kings, the first given by its place in the triangle.
    kings: [[u64; 64]; TRIANGLE],
    /// The squares of pawns: the first to lead has the largest number.
    pawns: [usize; 64],
    /// By number of leading pawns: the first number with the leading pawn on a square.
    lead_numbers: [[u64; 64]; MAX_MEN - 1],
    /// By number of leading pawns: how many numbers each file of the leading pawn has.
    lead_sizes: [[u64; 4]; MAX_MEN - 1],
}

static MAPS: LazyLock<Maps> = LazyLock::new(|| {
    let mut maps = Maps {
        triangle: [0; 64],
        below: [0; 64],
        kings: [[0; 64]; TRIANGLE],
        pawns: [0; 64],
        lead_numbers: [[0; 64]; MAX_MEN - 1],
        lead_sizes: [[0; 4]; MAX_MEN - 1],
    };
    let (mut off, mut below) = (0, 0);
    for square in 0..64 {
        let (rank, file) = (square >> 3, square & 7);
        if file > rank {
            maps.below[square] = below;
            maps.below[file << 3 | rank] = below;
            below += 1;
        }
        if file < 4 && rank < file {
            maps.triangle[square] = off;
            off += 1;
        } else if file < 4 && rank == file {
            maps.triangle[square] = OFF_DIAGONAL + rank;
        }
    }
    maps.number_kings();
    maps.number_pawns();
    maps
});

impl Maps {
    /// Pairs of kings: those that both stand on the diagonal come last.
    fn number_kings(&mut self) {
        let mut firsts: Vec<usize> =
            (0..28).filter(|square| square & 7 < 4 && above_diagonal(*square) <= 0).collect();
        firsts.sort_by_key(|&square| self.triangle[square]);
        let mut number = 0;
        for both_on_diagonal in [false, true] {
            for &first in &firsts {
                let king = Square::from_index(first);
                let near = attacks::king(king) | Bitboard::from(king);
                for second in (0..64).filter(|&square| !near.contains(Square::from_index(square))) {
                    let (on_diagonal, above) = (above_diagonal(first) == 0, above_diagonal(second));
                    if on_diagonal && above > 0 || (on_diagonal && above == 0) != both_on_diagonal {
                        continue;
                    }
                    self.kings[self.triangle[first]][second] = number;
                    number += 1;
                }
            }
        }
    }

    fn number_pawns(&mut self) {
        let mut left = PAWN_SQUARES;
        for file in 0..4 {
            for rank in 1..7 {
                for square in [rank * 8 + file, rank * 8 + 7 - file] {
                    left -= 1;
                    self.pawns[square] = left;
                }
            }
        }
        for count in 1..MAX_MEN - 1 {
            for file in 0..4 {
                let mut number = 0;
                for rank in 1..7 {
                    let square = rank * 8 + file;
                    self.lead_numbers[count][square] = number;
                    number += binomial(self.pawns[square], count - 1);
                }
                self.lead_sizes[count][file] = number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn the_leading_groups_have_as_many_numbers_as_the_format_says() {
        assert_eq!(MAPS.kings.iter().flatten().max(), Some(&(TWO_KINGS - 1)));
        assert_eq!(three_men_number(27, 63, 54), THREE_MEN - 1);
        assert_eq!(MAPS.lead_sizes[1], [6; 4]);
        assert_eq!(binomial(48, 2), 1128);
    }

    #[test]
    fn numbers_are_those_of_the_format() {
        for line in include_str!("../../tests/data/syzygy_index.txt").lines().skip(2) {
            let fields: Vec<_> = line.split(" | ").collect();
            let numbers = |text: &str| text.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<u8>>();
            let order = numbers(fields[1]).try_into().unwrap();
            let board = Board::from_fen(fields[3]).unwrap();
            let (material, file) = (Material::from_name(fields[0]).unwrap(), fields[4].parse().unwrap());
            let arrangement = Arrangement::new(material, order, &numbers(fields[2]), file).expect(line);
            assert_eq!(arrangement.size.to_string(), fields[6], "{line}");
            if material.pawns() != [0, 0] {
                assert_eq!(arrangement.lead_file(&board, false), file, "{line}");
            }
            assert_eq!(arrangement.index(&board, false).unwrap().to_string(), fields[5], "{line}");
        }
    }

    #[test]
    fn men_of_another_table_are_refused() {
        let material = Material::from_name("KQvK").unwrap();
        assert_eq!(Arrangement::new(material, [0, 15], &[6, 5, 14], 0).unwrap().size, THREE_MEN);
        assert!(Arrangement::new(material, [0, 15], &[6, 4, 14], 0).is_none());
        assert!(Arrangement::new(material, [0, 15], &[6, 5], 0).is_none());
        assert!(Arrangement::new(material, [7, 15], &[6, 5, 14], 0).is_none());
    }
}
