//! What a GUI can ask for, as plain data: no text is left but what only a board can judge.

#![forbid(unsafe_code)]

use crate::search::Limits;

/// One line of input, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Name the engine and list its options.
    Uci,
    /// Tell more, or stop telling more, in `info string` lines.
    Debug(bool),
    /// Answer `readyok`.
    IsReady,
    /// Longan needs no registration; the command is accepted and does nothing.
    Register,
    /// The next position belongs to another game.
    UciNewGame,
    /// Answer the running search now.
    Stop,
    /// The move that is being pondered on was played.
    PonderHit,
    /// End the program.
    Quit,
    /// Change an option.
    SetOption {
        /// The words of the name, with one blank between them, in the case they were sent in.
        name: String,
        /// What stands after `value`, without blanks around it; `None` without that word.
        value: Option<String>,
    },
    /// Set up a position.
    Position {
        /// The words of the FEN with one blank between them; `None` for the start position.
        fen: Option<String>,
        /// The moves to make from there, as they were sent.
        moves: Vec<String>,
    },
    /// Search the position that is set up.
    Go {
        /// When to end. `search_moves` is still empty, since only the board can read moves.
        limits: Limits,
        /// The root moves to search, as they were sent.
        search_moves: Vec<String>,
    },
    /// Count the leaves of the move tree, by root move.
    Perft {
        /// Plies.
        depth: u32,
    },
    /// Show the position that is set up.
    Display,
    /// Show its evaluation.
    Eval,
    /// Search the bench positions.
    Bench,
}
