//! The sub-commands.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, value_parser};
use longan::eval::network::{MAX_BUCKETS, Network};
use longan::tools::datagen::filter::Filter;

use crate::checkpoint;
use crate::dataset::{self, Dataset, Outlook};
use crate::export::{self, Agreement};
use crate::model::{LANES, Model, Shape};
use crate::objective::{Objective, fit_k};
use crate::pack;
use crate::plot;
use crate::train::{Crew, EpochReport, Run, Settings};
use crate::weights::Weights;

/// The newest checkpoints that are kept.
const KEPT_CHECKPOINTS: usize = 3;

/// Trains the evaluation network of Longan
#[derive(Parser, Debug)]
#[command(name = "longan-trainer", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Train a network and write it, its checkpoints and its loss curve
    Train(TrainArgs),
    /// Write the network of a checkpoint, or of the mean of several
    Export(ExportArgs),
    /// Show what the data hold after filtering
    Stats(DataArgs),
    /// Find the K that turns scores into expected results best
    FitK(DataArgs),
    /// Put files of games into one compressed file
    Pack(PackArgs),
    /// Write the files of a pack into a folder
    Unpack {
        /// The pack
        pack: PathBuf,
        /// Where the files go; files of the same name are not overwritten
        out: PathBuf,
    },
}

/// Which positions are used.
#[derive(Args, Debug)]
struct DataArgs {
    /// Files of games, packs of them, and folders of both
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Leave out positions before this ply of the game
    #[arg(long, default_value_t = Filter::default().min_ply)]
    min_ply: u32,
    /// Leave out scores of this size or more, in centipawns
    #[arg(long, default_value_t = Filter::default().max_score)]
    max_score: u16,
    /// Leave out so many plies at the end of drawn games
    #[arg(long, default_value_t = Filter::default().drawn_tail)]
    drawn_tail: usize,
    /// Mix later scores of the game and its result into each score: the weight of a ply as a share
    /// of that of the ply before, 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = parse_share)]
    decay: f32,
}

#[derive(Args, Debug)]
struct TrainArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The folder for everything that is written
    #[arg(long)]
    out: PathBuf,
    /// Hidden units: a multiple of 32 from 32 to 1024; with `--init` those of the network unless given
    #[arg(long, value_parser = parse_hidden, required_unless_present_any = ["resume", "init"])]
    hidden: Option<usize>,
    /// Outputs, of which the number of men chooses one: 1 to 8 [default: 1, with `--init` those of the
    /// network]
    #[arg(long, value_parser = count(1..=MAX_BUCKETS as u64))]
    buckets: Option<usize>,
    /// Start from the weights of this network instead of random ones; more hidden units than it has
    /// start unused, and one output may become several
    #[arg(long)]
    init: Option<PathBuf>,
    /// Share of the game's result in what is learnt; the rest is the score
    #[arg(long, default_value_t = 0.3, value_parser = parse_share)]
    lambda: f32,
    /// Centipawns at which a side's odds are e to 1
    #[arg(long, default_value_t = 400.0, value_parser = parse_positive)]
    k: f32,
    /// How often every position is visited
    #[arg(long, default_value_t = 50, value_parser = count(1..=1_000_000))]
    epochs: usize,
    /// Visits of positions in all, instead of epochs
    #[arg(long, conflicts_with = "epochs", value_parser = count(1..=1 << 50))]
    visits: Option<usize>,
    /// The highest learning rate
    #[arg(long, default_value_t = 1e-3, value_parser = parse_positive)]
    lr: f32,
    /// Positions of a step
    #[arg(long, default_value_t = 16_384, value_parser = count(1..=1 << 24))]
    batch: usize,
    /// Of the first weights and the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Another number gives a network that differs in its last bits
    #[arg(long, default_value_t = 2, value_parser = count(1..=256))]
    threads: usize,
    /// Go on from a checkpoint, with its settings and the same data
    #[arg(long, conflicts_with_all = ["hidden", "buckets", "init", "lambda", "k", "epochs", "visits", "lr", "batch", "seed"])]
    resume: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct ExportArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The checkpoint; of several runs with the same shape, data, lambda and K the mean of their weights
    #[arg(long, required = true, num_args = 1..)]
    checkpoint: Vec<PathBuf>,
    /// The network file to write
    #[arg(long)]
    out: PathBuf,
}

#[derive(Args, Debug)]
struct PackArgs {
    /// Files of games and folders of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The pack to write
    out: PathBuf,
    /// How hard zstd tries
    #[arg(long, default_value_t = 19, value_parser = value_parser!(i32).range(1..=22))]
    level: i32,
}

type Failure = Box<dyn Error>;

/// Does what the command line asks for.
pub fn run(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        Command::Train(args) => train(args),
        Command::Export(args) => export(args),
        Command::Stats(args) => {
            load(args)?;
            Ok(())
        }
        Command::FitK(args) => {
            let data = load(args)?;
            println!("K = {:.1} centipawns", fit_k(data.records()));
            Ok(())
        }
        Command::Pack(args) => write_pack(args),
        Command::Unpack { pack, out } => unpack(pack, out),
    }
}

fn load(args: &DataArgs) -> Result<Dataset, Failure> {
    let started = Instant::now();
    let filter = Filter { min_ply: args.min_ply, max_score: args.max_score, drawn_tail: args.drawn_tail };
    let data = Dataset::load(&args.data, &filter, Outlook { decay: args.decay })?;
    println!("{data}\nloaded in {:.1} s", started.elapsed().as_secs_f32());
    Ok(data)
}

fn train(args: &TrainArgs) -> Result<(), Failure> {
    let stopped = args.resume.as_deref().map(checkpoint::load).transpose()?;
    let first = args.init.as_deref().map(read_network).transpose()?;
    let shape = args.shape(first.as_ref().map(Model::shape))?;
    let data = load(&args.data)?;
    let mut run = match stopped {
        Some(run) => {
            check_data(&run, &data)?;
            run
        }
        None => {
            let settings = args.settings(shape, &data);
            match first {
                Some(model) => Run::from_model(settings, &data, model.widened(shape, args.seed)),
                None => Run::new(settings, &data),
            }
        }
    };
    let batch = run.settings.batch;
    if data.train.len() < batch {
        return Err(format!("{} positions are less than one batch of {batch}", data.train.len()).into());
    }
    check_held_out(&data)?;
    if u32::try_from(data.train.len()).is_err() {
        return Err(format!("{} positions are more than this program can number", data.train.len()).into());
    }
    fs::create_dir_all(&args.out).map_err(|error| at(&args.out, error))?;
    let visits = data.train.len() / batch * batch;
    let mut crew = Crew::new(args.threads, run.settings.shape);
    while !run.is_done() {
        let report = run.epoch(&data, &mut crew);
        show(&run, &report, visits);
        save(&run, &args.out, visits)?;
    }
    write_network(&run, &data, &args.out.join("net.nnue"))
}

/// What was held out depends on the data: other games would be no test.
fn check_data(run: &Run, data: &Dataset) -> Result<(), Failure> {
    let [was, is] = [run.data_hash, data.hash()];
    if was != is {
        return Err(format!("the run was started with data {was:016x}, these are {is:016x}").into());
    }
    Ok(())
}

fn check_held_out(data: &Dataset) -> Result<(), Failure> {
    if data.held_out.is_empty() {
        return Err(format!("none of the {} games is held out: too few games", data.counts.games).into());
    }
    Ok(())
}

impl TrainArgs {
    /// The shape asked for, that of the `first` network where nothing is said.
    fn shape(&self, first: Option<Shape>) -> Result<Shape, Failure> {
        let like = first.unwrap_or(Shape { hidden: LANES, buckets: 1 });
        let shape = Shape {
            hidden: self.hidden.unwrap_or(like.hidden),
            buckets: self.buckets.unwrap_or(like.buckets),
        };
        let Shape { hidden, buckets } = shape;
        if first.is_some() && hidden < like.hidden {
            let least = like.hidden;
            return Err(format!("{hidden} hidden units are less than the {least} of the network").into());
        }
        if like.buckets > 1 && buckets != like.buckets {
            let own = like.buckets;
            return Err(format!("{buckets} buckets cannot start from the {own} of the network").into());
        }
        Ok(shape)
    }

    fn settings(&self, shape: Shape, data: &Dataset) -> Settings {
        let positions = data.train.len().max(1);
        Settings {
            shape,
            objective: Objective { lambda: self.lambda, k: self.k },
            epochs: self.visits.map_or(self.epochs, |visits| visits.div_ceil(positions)),
            rate: self.lr,
            batch: self.batch,
            seed: self.seed,
        }
    }
}

fn read_network(path: &Path) -> Result<Model, Failure> {
    let bytes = fs::read(path).map_err(|error| at(path, error))?;
    let network = Network::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(export::dequantise(&network.parameters()))
}

fn show(run: &Run, report: &EpochReport, visits: usize) {
    let EpochReport { rate, train_loss, held_out_loss, seconds } = report;
    println!(
        "epoch {:>3}/{}: loss {train_loss:.6}, held out {held_out_loss:.6}, rate {rate:.1e}, \
         {:.2} M positions/s",
        run.history.len(),
        run.settings.epochs,
        visits as f32 / seconds / 1e6
    );
}

/// Writes the checkpoint, the loss table and its picture; removes old checkpoints.
fn save(run: &Run, out: &Path, visits: usize) -> Result<(), Failure> {
    let checkpoint = |epoch: usize| out.join(format!("epoch-{epoch:04}.ckpt"));
    let epoch = run.history.len();
    checkpoint::save(run, &checkpoint(epoch))?;
    if let Some(old) = epoch.checked_sub(KEPT_CHECKPOINTS).map(checkpoint)
        && old.exists()
    {
        fs::remove_file(&old).map_err(|error| at(&old, error))?;
    }
    write(&out.join("loss.csv"), plot::csv(&run.history, visits).as_bytes())?;
    write(&out.join("loss.svg"), plot::svg(&run.history).as_bytes())
}

fn export(args: &ExportArgs) -> Result<(), Failure> {
    let mut runs =
        args.checkpoint.iter().map(|path| checkpoint::load(path)).collect::<Result<Vec<_>, _>>()?;
    let kind = |run: &Run| (run.settings.shape, run.settings.objective);
    for (run, path) in runs.iter().zip(&args.checkpoint) {
        if kind(run) != kind(&runs[0]) {
            let first = args.checkpoint[0].display();
            return Err(format!("{} has another shape, lambda or K than {first}", path.display()).into());
        }
    }
    let data = load(&args.data)?;
    runs.iter().try_for_each(|run| check_data(run, &data))?;
    check_held_out(&data)?;
    let models: Vec<Model> = runs.iter().map(|run| run.weights.model().clone()).collect();
    let run = &mut runs[0];
    if models.len() > 1 {
        run.weights = Weights::new(Model::mean(&models));
        let mut crew = Crew::new(1, models[0].shape());
        let held_out_loss = crew.mean_loss(&run.weights, &data.held_out, &run.settings.objective);
        println!("the mean of {}: held out {held_out_loss:.6}", models.len());
        run.history.iter_mut().for_each(|report| report.held_out_loss = held_out_loss);
    }
    write_network(run, &data, &args.out)
}

/// Exports the run's network, and prints its row of the ledger of networks.
fn write_network(run: &Run, data: &Dataset, path: &Path) -> Result<(), Failure> {
    let (network, agreement) = export::export(run.weights.model(), &data.held_out)?;
    let bytes = network.to_bytes();
    write(path, &bytes)?;
    let Agreement { mean, max, size } = agreement;
    println!(
        "{}: {} bytes, mean size of evaluations {size:.1} cp; integers differ from floats by {mean:.2} cp \
         on average, {max:.1} at most",
        path.display(),
        bytes.len()
    );
    let Settings { shape: Shape { hidden, buckets }, objective, epochs, rate, batch, seed } = run.settings;
    println!(
        "| | {:016x} | {} | {} | {} | {hidden}x{buckets} | {epochs} epochs of {batch}, lr {rate:e}, K {}, decay {}, seed \
         {seed} | {:.6} | |",
        data.hash(),
        data.counts.games,
        data.train.len(),
        objective.lambda,
        objective.k,
        data.outlook.decay,
        run.history.last().map_or(0.0, |report| report.held_out_loss)
    );
    Ok(())
}

fn write_pack(args: &PackArgs) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in dataset::find_files(&args.files)? {
        files.extend(dataset::read_files(&path)?);
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(twins) = files.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(format!("two files have the name {}", twins[0].name).into());
    }
    let packed = pack::pack(&files, args.level)?;
    write(&args.out, &packed)?;
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    println!("{} files of {bytes} bytes packed into {} bytes", files.len(), packed.len());
    Ok(())
}

fn unpack(path: &Path, out: &Path) -> Result<(), Failure> {
    fs::create_dir_all(out).map_err(|error| at(out, error))?;
    for file in dataset::read_files(path)? {
        let target = out.join(&file.name);
        if target.exists() {
            return Err(format!("{} exists already", target.display()).into());
        }
        write(&target, &file.bytes)?;
        println!("{}: {} bytes", target.display(), file.bytes.len());
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| at(path, error))
}

fn at(path: &Path, error: std::io::Error) -> Failure {
    format!("{}: {error}", path.display()).into()
}

fn count(range: impl std::ops::RangeBounds<u64>) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(range)
}

fn parse_hidden(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(hidden @ LANES..=1024) if usize::is_multiple_of(hidden, LANES) => Ok(hidden),
        _ => Err(format!("not a multiple of {LANES} from {LANES} to 1024")),
    }
}

fn parse_share(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(share @ 0.0..=1.0) => Ok(share),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}

fn parse_positive(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f32::is_finite(number) => Ok(number),
        _ => Err("not a positive number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{file_of, random_games};

    /// Runs a command line; `%` stands for the folder.
    fn command(folder: &Path, line: &str) -> Result<(), String> {
        let line = line.replace('%', &folder.to_string_lossy());
        let words = ["longan-trainer"].into_iter().chain(line.split_whitespace());
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        run(&cli).map_err(|error| error.to_string())
    }

    fn folder_with_games() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let data = folder.path().join("data");
        fs::create_dir(&data).expect("the folder can be written");
        for name in ["a.bin", "b.bin"] {
            let games = random_games(100, u64::from(name.as_bytes()[0]));
            fs::write(data.join(name), file_of(&games)).expect("the folder can be written");
        }
        folder
    }

    #[test]
    fn a_run_writes_a_network_and_can_be_resumed() {
        let folder = folder_with_games();
        let run = |line| command(folder.path(), line);
        let read = |name: &str| fs::read(folder.path().join(name)).expect("the file was written");
        run("train --data %/data --out %/one --hidden 32 --epochs 5 --batch 256 --lr 0.005")
            .expect("it trains");
        let network = Network::from_bytes(&read("one/net.nnue")).expect("a network file");
        assert_eq!(network.hidden(), 32);
        assert_eq!(read("one/loss.csv").split(|&byte| byte == b'\n').count(), 7);
        assert!(read("one/loss.svg").starts_with(b"<svg"));
        assert!(!folder.path().join("one/epoch-0002.ckpt").exists());
        run("train --data %/data --out %/two --resume %/one/epoch-0003.ckpt").expect("it goes on");
        assert_eq!(read("two/net.nnue"), read("one/net.nnue"));
        assert_eq!(read("two/epoch-0005.ckpt").len(), read("one/epoch-0005.ckpt").len());
        run("export --data %/data --checkpoint %/one/epoch-0005.ckpt --out %/again.nnue")
            .expect("it exports");
        assert_eq!(read("again.nnue"), read("one/net.nnue"));
        run(
            "export --data %/data --checkpoint %/one/epoch-0005.ckpt %/two/epoch-0005.ckpt --out %/mean.nnue",
        )
        .expect("it exports the mean");
        assert_eq!(read("mean.nnue"), read("one/net.nnue"), "the mean of equal runs");
        let error = run("train --data %/data/a.bin --out %/two --resume %/one/epoch-0003.ckpt").unwrap_err();
        assert!(error.starts_with("the run was started with data "), "{error}");
    }

    #[test]
    fn a_run_starts_from_a_network() {
        let folder = folder_with_games();
        let run = |line| command(folder.path(), line);
        let read = |name: &str| fs::read(folder.path().join(name)).expect("the file was written");
        run("train --data %/data --out %/one --hidden 64 --epochs 1 --batch 256 --lr 0.005")
            .expect("it trains");
        // So small a rate moves no weight by half a unit.
        run("train --data %/data --out %/two --init %/one/net.nnue --epochs 1 --batch 256 --lr 1e-9")
            .expect("it goes on");
        let weights = |name| {
            let network = Network::from_bytes(&read(name)).expect("a network file");
            network.parameters().feature_weights
        };
        assert_eq!(weights("two/net.nnue"), weights("one/net.nnue"));
        let error = run("train --data %/data --out %/x --init %/one/loss.csv").unwrap_err();
        assert!(
            error.ends_with("loss.csv: not a Longan network: it does not start with \"LNGN\""),
            "{error}"
        );
        let error = run("train --data %/data --out %/x --init %/one/net.nnue --hidden 32").unwrap_err();
        assert_eq!(error, "32 hidden units are less than the 64 of the network");
        run("train --data %/data --out %/wide --init %/one/net.nnue --hidden 96 --epochs 1 --batch 256")
            .expect("it goes on wider");
        assert_eq!(Network::from_bytes(&read("wide/net.nnue")).expect("a network file").hidden(), 96);
        run("train --data %/data --out %/buckets --init %/one/net.nnue --buckets 8 --epochs 1 --batch 256")
            .expect("it goes on with more outputs");
        assert_eq!(Network::from_bytes(&read("buckets/net.nnue")).expect("a network file").buckets(), 8);
        let error = run("train --data %/data --out %/x --init %/buckets/net.nnue --buckets 4").unwrap_err();
        assert_eq!(error, "4 buckets cannot start from the 8 of the network");
        let error =
            run("export --data %/data --checkpoint %/one/epoch-0001.ckpt %/wide/epoch-0001.ckpt --out %/x")
                .unwrap_err();
        assert!(error.contains("wide/epoch-0001.ckpt has another shape, lambda or K than "), "{error}");
        let error =
            run("export --data %/data/a.bin --checkpoint %/one/epoch-0001.ckpt --out %/x").unwrap_err();
        assert!(error.starts_with("the run was started with data "), "{error}");
    }

    #[test]
    fn packs_stand_for_their_folder() {
        let folder = folder_with_games();
        let run = |line| command(folder.path(), line);
        run("pack %/data %/data.zst --level 3").expect("it packs");
        run("unpack %/data.zst %/again").expect("it unpacks");
        for name in ["a.bin", "b.bin"] {
            let read = |place: &str| fs::read(folder.path().join(place).join(name)).expect("the file exists");
            assert_eq!(read("data"), read("again"));
        }
        run("stats --data %/data.zst").expect("it reads the pack");
        run("fit-k --data %/data.zst %/data").expect("it reads both");
        let error = run("unpack %/data.zst %/again").unwrap_err();
        assert!(error.ends_with("a.bin exists already"), "{error}");
        let error = run("pack %/data %/again %/twice.zst").unwrap_err();
        assert_eq!(error, "two files have the name a.bin");
    }

    #[test]
    fn impossible_wishes_are_refused_with_the_reason() {
        let folder = folder_with_games();
        let refused = |line: &str, reason: &str| {
            let error = command(folder.path(), line).expect_err(line);
            assert!(error.contains(reason), "{line}: {error}");
        };
        refused("train --data %/data --out %/x --hidden 33", "not a multiple of 32");
        refused("train --data %/data --out %/x", "--hidden");
        refused("train --data %/data --out %/x --hidden 32 --lambda 1.5", "not a number from 0 to 1");
        refused("train --data %/data --out %/x --hidden 32 --lr nan", "not a positive number");
        refused("train --data %/data --out %/x --hidden 32 --epochs 3 --visits 9", "cannot be used with");
        refused("train --data %/data --out %/x --hidden 32 --batch 16384", "less than one batch of 16384");
        let few = file_of(&random_games(4, 1));
        fs::write(folder.path().join("few.bin"), few).expect("the folder can be written");
        refused("train --data %/few.bin --out %/x --hidden 32 --batch 8", "of the 4 games is held out");
        let missing = fs::metadata(folder.path().join("none")).expect_err("there is none").to_string();
        refused("stats --data %/none", &format!("none: {missing}"));
        refused("export --data %/data --checkpoint %/data/a.bin --out %/x", "is not a checkpoint");
    }

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
