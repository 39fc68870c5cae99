//! The engine binary: hands its arguments to the library.

fn main() -> std::process::ExitCode {
    longan::cli::run()
}
