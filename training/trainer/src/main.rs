//! The trainer's command line.

use std::process::ExitCode;

use clap::Parser;
use longan_trainer::cli::{self, Cli};

fn main() -> ExitCode {
    match cli::run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
