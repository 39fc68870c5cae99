//! The numbers of the search that a tuner may change, one line each: `name: type = default, min, max,
//! step;`. Those that stand elsewhere were set by hand.
//!
//! The step is where a tuner starts to vary the value. In normal builds the values are
//! constants; with the feature `tuning` every worker carries its own set, so that two sets can
//! play each other in one process.

#![forbid(unsafe_code)]

use std::ops::Deref;

macro_rules! params {
    ($($(#[$banner:meta])* $name:ident: $type:ty = $default:literal, $min:literal, $max:literal, $step:literal;)*) => {
        /// One set of tunables.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Params {
            $($(#[$banner])* pub $name: $type,)*
        }

        impl Params {
            /// The values the engine plays with.
            pub const DEFAULT: Self = Self { $($name: $default,)* };

            /// All tunables: name, default, least, greatest and first tuning step.
            pub const TABLE: &[Tunable] = &[$(Tunable {
                name: stringify!($name),
                default: $default as f64,
                min: $min as f64,
                max: $max as f64,
                step: $step as f64,
            },)*];

            /// The value of a tunable by name.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($name) => Some(self.$name as f64),)*
                    _ => None,
                }
            }

            /// Sets a tunable by name, held within its range; false if there is none of that name.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($name) => {
                        self.$name = value.clamp($min as f64, $max as f64).round() as $type;
                    })*
                    _ => return false,
                }
                true
            }
        }

        $(const _: () = assert!($min <= $default && $default <= $max, "default out of range");)*
    };
}

/// The set that a worker plays with. In normal builds it is the default wherever it is passed, so
/// that its numbers are constants for the compiler, and takes no space.
pub(super) struct InUse {
    #[cfg(feature = "tuning")]
    params: Params,
}

impl InUse {
    /// The default set.
    pub const DEFAULT: Self = Self {
        #[cfg(feature = "tuning")]
        params: Params::DEFAULT,
    };

    /// Another set.
    #[cfg(feature = "tuning")]
    pub fn new(params: Params) -> Self {
        Self { params }
    }
}

impl Deref for InUse {
    type Target = Params;

    #[inline]
    fn deref(&self) -> &Params {
        #[cfg(feature = "tuning")]
        return &self.params;
        #[cfg(not(feature = "tuning"))]
        return &Params::DEFAULT;
    }
}

/// What a tuner needs to know of one tunable.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Tunable {
    pub name: &'static str,
    pub default: f64,
    pub min: f64,
    pub max: f64,
    pub step: f64,
}

params! {
    /// Aspiration: half width of the first window, in centipawns.
    aspiration_delta: i32 = 18, 5, 40, 4;
    /// Aspiration: growth of the window after a failure, in 1/128.
    aspiration_growth: i32 = 64, 20, 200, 16;

    /// Reverse futility: deepest depth.
    rfp_depth: i32 = 8, 4, 14, 1;
    /// Reverse futility: margin a ply, in centipawns.
    rfp_margin: i32 = 64, 30, 150, 10;
    /// Reverse futility: margin taken off when the position improves.
    rfp_improving: i32 = 91, 20, 150, 10;

    /// Reverse futility: margin taken off when the opponent's last move made its position worse.
    rfp_worsening: i32 = 51, 0, 80, 8;

    /// Razoring: deepest depth.
    razor_depth: i32 = 4, 2, 8, 1;
    /// Razoring: base of the margin, in centipawns.
    razor_base: i32 = 322, 50, 500, 30;
    /// Razoring: margin times depth squared.
    razor_factor: i32 = 120, 30, 400, 25;

    /// Null move: least depth.
    nmp_depth: i32 = 3, 2, 6, 1;
    /// Null move: base reduction, in plies.
    nmp_base: i32 = 4, 2, 6, 1;
    /// Null move: depth for one more ply of reduction.
    nmp_divisor: i32 = 4, 2, 8, 1;
    /// Null move: evaluation above beta for one more ply of reduction, in centipawns.
    nmp_eval_divisor: i32 = 222, 80, 400, 20;
    /// Null move: margin the evaluation may lie below beta at depth 0, less with depth.
    nmp_margin: i32 = 99, 0, 300, 20;
    /// Null move: margin a ply of depth.
    nmp_margin_factor: i32 = 11, 0, 40, 4;
    /// Null move: depth from which a cut must be verified.
    nmp_verify_depth: i32 = 14, 10, 20, 1;

    /// ProbCut: least depth.
    probcut_depth: i32 = 5, 4, 8, 1;
    /// ProbCut: margin above beta, in centipawns.
    probcut_margin: i32 = 82, 80, 350, 20;
    /// ProbCut: margin taken off when the position improves.
    probcut_improving: i32 = 50, 0, 120, 10;

    /// Small ProbCut: how far the table's score must lie above beta, in centipawns.
    small_probcut_margin: i32 = 400, 100, 800, 40;

    /// Hindsight: a ply is given back after a reduction of so many plies.
    hindsight_reduction: i32 = 3, 1, 6, 1;
    /// Hindsight: a ply less when a reduced move lost more than this, in centipawns.
    hindsight_margin: i32 = 196, 40, 400, 20;

    /// Internal iterative reduction: least depth.
    iir_depth: i32 = 4, 2, 8, 1;

    /// Order of quiet moves: weight of the history by squares and threats, in 1/128.
    order_squares: i32 = 138, 0, 384, 16;
    /// Order of quiet moves: weight of the history by pawn structure, in 1/128.
    order_pawn: i32 = 149, 0, 384, 16;
    /// Order of quiet moves: weight of the answers to the opponent's last move, in 1/128.
    order_continuation_1: i32 = 97, 0, 384, 16;
    /// Order of quiet moves: weight of the sequels to the own last move, in 1/128.
    order_continuation_2: i32 = 59, 0, 384, 16;
    /// Order of quiet moves: weight of the moves four plies after another, in 1/128.
    order_continuation_4: i32 = 151, 0, 384, 16;
    /// Order of quiet moves: weight of the moves six plies after another, in 1/128.
    order_continuation_6: i32 = 161, 0, 384, 16;
    /// Order of quiet moves: bonus for a check, in units of history. It comes before all but the
    /// best of the others, for few answers make it cheap to search, and it may mate.
    order_check: i32 = 6706, 0, 24000, 1000;
    /// Order of quiet moves: worth of leaving a square that a lesser man attacks, and of not
    /// entering one, for knights and bishops, in units of history.
    order_flight_minor: i32 = 785, 0, 8000, 400;
    /// Order of quiet moves: the same for rooks.
    order_flight_rook: i32 = 4181, 0, 10000, 500;
    /// Order of quiet moves: the same for queens.
    order_flight_queen: i32 = 3601, 0, 14000, 700;
    /// Order of captures: weight of the history, in 1/128.
    order_noisy_history: i32 = 171, 0, 384, 16;

    /// Late move pruning: base count.
    lmp_base: i32 = 3, 1, 8, 1;
    /// Futility of quiet moves: deepest reduced depth.
    futility_depth: i32 = 8, 4, 14, 1;
    /// Futility of quiet moves: base margin, in centipawns.
    futility_base: i32 = 43, 30, 250, 15;
    /// Futility of quiet moves: margin a ply.
    futility_factor: i32 = 39, 30, 200, 12;
    /// Futility of quiet moves: history for one centipawn more.
    futility_history: i32 = 84, 16, 256, 8;
    /// Pruning by history: deepest depth.
    history_depth: i32 = 5, 2, 10, 1;
    /// Pruning by history: threshold a ply.
    history_margin: i32 = 3386, 800, 6000, 300;
    /// Pruning of quiet moves by exchange: margin times reduced depth squared, in centipawns.
    see_quiet: i32 = 19, 8, 60, 4;
    /// Pruning of captures by exchange: margin a ply, in centipawns.
    see_noisy: i32 = 84, 40, 180, 10;
    /// Pruning of captures by exchange: capture history for one centipawn more.
    see_noisy_history: i32 = 64, 16, 256, 16;

    /// Singular extension: least depth.
    singular_depth: i32 = 6, 5, 10, 1;
    /// Singular extension: margin a ply, in 1/16 centipawns.
    singular_margin: i32 = 19, 8, 48, 3;
    /// Singular extension: how far below for a second ply, in centipawns.
    double_margin: i32 = 30, 0, 60, 4;
    /// Singular extension: how far below for a third ply, in centipawns.
    triple_margin: i32 = 90, 30, 250, 15;

    /// Late move reductions of quiet moves: base, in 1/1024 ply.
    lmr_quiet_base: i32 = 827, 0, 2000, 80;
    /// Late move reductions of quiet moves: divisor of ln(depth) * ln(move number), in 1/1024.
    lmr_quiet_divisor: i32 = 1791, 1200, 4000, 120;
    /// Late move reductions of captures: base, in 1/1024 ply.
    lmr_noisy_base: i32 = 189, 0, 1500, 80;
    /// Late move reductions of captures: divisor, in 1/1024.
    lmr_noisy_divisor: i32 = 3360, 1500, 6000, 150;
    /// Reduction: less on the principal variation, in 1/1024 ply.
    lmr_pv: i32 = 933, 0, 2048, 100;
    /// Reduction: less where the table says that the position was on a principal variation.
    lmr_tt_pv: i32 = 527, 0, 2048, 100;
    /// Reduction: more in expected cut nodes.
    lmr_cut_node: i32 = 1382, 0, 3072, 120;
    /// Reduction: more when the position does not improve.
    lmr_not_improving: i32 = 921, 0, 2048, 100;
    /// Reduction: more when the table's move is a capture.
    lmr_tt_noisy: i32 = 1065, 0, 2048, 100;
    /// Reduction: less for moves that give check.
    lmr_check: i32 = 398, 0, 2048, 100;
    /// Reduction: more when the child's earlier siblings were refuted often.
    lmr_cutoffs: i32 = 228, 0, 2048, 100;
    /// Reduction: less for killers.
    lmr_killer: i32 = 1076, 0, 2048, 100;
    /// Reduction: less for each centipawn by which the evaluation was corrected, in 1/1024 ply.
    lmr_correction: i32 = 5, 0, 60, 4;
    /// Reduction: history for one ply of a quiet move.
    lmr_history: i32 = 8288, 3000, 20000, 700;
    /// Reduction: history for one ply of a capture.
    lmr_noisy_history: i32 = 8482, 2000, 16000, 700;
    /// Re-search one ply deeper when the reduced search beats the best by this, in centipawns.
    lmr_deeper: i32 = 43, 10, 120, 8;

    /// History bonus: factor of depth.
    bonus_factor: i32 = 214, 60, 400, 20;
    /// History bonus: subtracted.
    bonus_base: i32 = 93, 0, 300, 20;
    /// History bonus: greatest value.
    bonus_max: i32 = 1823, 800, 3000, 120;
    /// History malus: factor of depth.
    malus_factor: i32 = 228, 60, 400, 20;
    /// History malus: subtracted.
    malus_base: i32 = 82, 0, 300, 20;
    /// History malus: greatest value.
    malus_max: i32 = 1227, 600, 3000, 120;

    /// History bonus: that of a ply more when the score beats beta by this, in centipawns.
    bonus_margin: i32 = 37, 10, 200, 10;
    /// History bonus of the opponent's last move when all answers fail low, in 1/128 of the normal one.
    fail_low_bonus: i32 = 144, 0, 256, 16;
    /// History bonus of the opponent's last move for each centipawn its evaluation rose, in 1/16.
    eval_change_bonus: i32 = 82, 0, 256, 16;

    /// Correction of the evaluation: weight of the pawn structure, in 1/1024.
    corr_pawn: i32 = 683, 200, 2500, 100;
    /// Correction of the evaluation: weight of the minor pieces.
    corr_minor: i32 = 748, 100, 2000, 100;
    /// Correction of the evaluation: weight of the major pieces.
    corr_major: i32 = 500, 100, 2000, 100;
    /// Correction of the evaluation: weight of each side's men other than pawns.
    corr_non_pawn: i32 = 723, 100, 2000, 100;
    /// Correction of the evaluation: weight of the last two moves.
    corr_continuation: i32 = 563, 100, 2000, 100;

    /// Correction of the evaluation: the share of an error that is learned a ply of depth, in 1/256.
    corr_rate: i32 = 8, 1, 48, 2;

    /// Quiescence: least gain by exchange of the captures that are searched, in centipawns.
    qs_exchange: i32 = 0, -150, 60, 12;
    /// Quiescence: margin of the standing evaluation for futile captures, in centipawns.
    qs_futility: i32 = 164, 40, 300, 15;

    /// Time: expected number of moves left in sudden death.
    time_moves: i32 = 32, 12, 40, 2;
    /// Time: share of the increment that is used for each move, in per cent.
    time_increment: i32 = 75, 40, 100, 5;
    /// Time: longest use of the time left on one move, in per cent.
    time_hard: i32 = 50, 20, 80, 5;
}
