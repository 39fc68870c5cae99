//! The training run: epochs of shuffled batches, each batch shared by the threads.
//!
//! The same settings, data and number of threads give the same network, bit for bit: every
//! thread has a fixed share of a batch and the shares are added in order. The order of an epoch
//! depends on the seed and the epoch alone, so a resumed run goes on as if never stopped.

use std::thread;
use std::time::Instant;

use crate::adamw::{AdamW, Schedule};
use crate::dataset::Dataset;
use crate::model::{Model, Shape};
use crate::objective::Objective;
use crate::pass::Pass;
use crate::record::Record;
use crate::rng::Rng;
use crate::weights::Weights;

/// What a run depends on besides its data and the number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How large the network is.
    pub shape: Shape,
    /// What is learnt.
    pub objective: Objective,
    /// How often every position is visited.
    pub epochs: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// Positions of a step.
    pub batch: usize,
    /// Of the first weights and the order of positions.
    pub seed: u64,
}

/// What an epoch brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochReport {
    /// The learning rate of its last step.
    pub rate: f32,
    /// Mean loss of the training positions, each before the step that used it.
    pub train_loss: f32,
    /// Mean loss of the held-out positions after the epoch.
    pub held_out_loss: f32,
    /// How long it took.
    pub seconds: f32,
}

/// A run and how far it has come.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was asked for.
    pub settings: Settings,
    /// Which data it uses.
    pub data_hash: u64,
    /// The network as it is now.
    pub weights: Weights,
    /// The optimiser's memory.
    pub adam: AdamW,
    /// One entry for every epoch done.
    pub history: Vec<EpochReport>,
}

impl Run {
    /// A run at its start, from random weights.
    pub fn new(settings: Settings, data: &Dataset) -> Self {
        Self::from_model(settings, data, Model::random(settings.shape, settings.seed))
    }

    /// A run at its start, from the weights of `model`, which has the settings' shape.
    pub fn from_model(settings: Settings, data: &Dataset, model: Model) -> Self {
        Self {
            settings,
            data_hash: data.hash(),
            weights: Weights::new(model),
            adam: AdamW::new(settings.shape),
            history: Vec::with_capacity(settings.epochs),
        }
    }

    /// Whether all epochs are done.
    pub fn is_done(&self) -> bool {
        self.history.len() >= self.settings.epochs
    }

    /// Visits every training position once; those that fill no whole batch wait for the next
    /// epoch, which has another order.
    pub fn epoch(&mut self, data: &Dataset, crew: &mut Crew) -> EpochReport {
        let started = Instant::now();
        let batch = self.settings.batch;
        let batches = data.train.len() / batch;
        let schedule = Schedule { peak: self.settings.rate, steps: (batches * self.settings.epochs) as u64 };
        let mut order: Vec<u32> = (0..data.train.len() as u32).collect();
        Rng::new(self.settings.seed ^ (1 + self.history.len() as u64) << 32).shuffle(&mut order);
        let mut rate = 0.0;
        let mut loss = 0.0;
        for picks in order.chunks_exact(batch) {
            loss += crew.learn(&self.weights, &data.train, picks, &self.settings.objective);
            rate = schedule.rate(self.adam.steps());
            let gradient = &crew.workers[0].gradient;
            self.weights.change(|model| self.adam.step(model, gradient, batch, rate));
        }
        let report = EpochReport {
            rate,
            train_loss: (loss / (batches * batch) as f64) as f32,
            held_out_loss: crew.mean_loss(&self.weights, &data.held_out, &self.settings.objective),
            seconds: started.elapsed().as_secs_f32(),
        };
        self.history.push(report);
        report
    }
}

/// One thread's memory.
struct Worker {
    pass: Pass,
    gradient: Model,
}

/// The memory of all threads.
pub struct Crew {
    workers: Vec<Worker>,
}

impl Crew {
    /// Room for `threads` threads, at least one, and a network of this shape.
    pub fn new(threads: usize, shape: Shape) -> Self {
        let worker = || Worker { pass: Pass::new(shape), gradient: Model::zeros(shape) };
        Self { workers: (0..threads.max(1)).map(|_| worker()).collect() }
    }

    /// The summed loss of a batch; its gradient is left with the first worker.
    fn learn(&mut self, weights: &Weights, records: &[Record], picks: &[u32], objective: &Objective) -> f64 {
        let loss = self.share(picks, |worker, picks| {
            worker.gradient.rows_mut().fill(crate::model::Row::ZERO);
            worker.pass.learn(weights, records, picks, objective, &mut worker.gradient)
        });
        if let Some((first, others)) = self.workers.split_first_mut() {
            for other in others {
                let rows = first.gradient.rows_mut().iter_mut().zip(other.gradient.rows());
                rows.for_each(|(row, more)| row.add(more));
            }
        }
        loss
    }

    /// The mean loss of all records; 0 if there are none.
    pub fn mean_loss(&mut self, weights: &Weights, records: &[Record], objective: &Objective) -> f32 {
        let picks: Vec<u32> = (0..records.len() as u32).collect();
        let loss = self.share(&picks, |worker, picks| worker.pass.loss(weights, records, picks, objective));
        (loss / records.len().max(1) as f64) as f32
    }

    /// Lets every worker do its share of the picks in a thread of its own; adds the results up.
    fn share(&mut self, picks: &[u32], work: impl Fn(&mut Worker, &[u32]) -> f64 + Sync) -> f64 {
        let share = picks.len().div_ceil(self.workers.len());
        let mut shares = picks.chunks(share.max(1));
        thread::scope(|scope| {
            let work = &work;
            let spawn = |worker| {
                let share = shares.next().unwrap_or(&[]);
                scope.spawn(move || work(worker, share))
            };
            let jobs: Vec<_> = self.workers.iter_mut().map(spawn).collect();
            jobs.into_iter().map(|job| job.join().expect("a pass does not panic")).sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint;
    use crate::testing::random_records;

    const SETTINGS: Settings = Settings {
        shape: Shape { hidden: 32, buckets: 1 },
        objective: Objective { lambda: 0.1, k: 400.0 },
        epochs: 4,
        rate: 3e-3,
        batch: 256,
        seed: 5,
    };

    fn data() -> Dataset {
        let mut data = Dataset::default();
        data.train = random_records(6_000, 31);
        data.held_out = random_records(1_000, 32);
        data
    }

    fn finished(data: &Dataset, settings: Settings, threads: usize) -> Run {
        let mut run = Run::new(settings, data);
        let mut crew = Crew::new(threads, settings.shape);
        while !run.is_done() {
            run.epoch(data, &mut crew);
        }
        run
    }

    #[test]
    fn equal_runs_give_equal_networks() {
        let data = data();
        for threads in [1, 2, 3] {
            let [a, b] = [0, 0].map(|_| finished(&data, SETTINGS, threads));
            assert_eq!(a.weights.model(), b.weights.model(), "{threads} threads");
            let losses =
                |run: &Run| run.history.iter().map(|r| (r.train_loss, r.held_out_loss)).collect::<Vec<_>>();
            assert_eq!(losses(&a), losses(&b));
        }
        let other = finished(&data, Settings { seed: 6, ..SETTINGS }, 1);
        assert_ne!(other.weights.model(), finished(&data, SETTINGS, 1).weights.model());
    }

    #[test]
    fn training_lowers_both_losses_whatever_the_threads() {
        let data = data();
        let [one, two] = [1, 2].map(|threads| finished(&data, SETTINGS, threads).history);
        for history in [&one, &two] {
            let (first, last) = (history[0], history[history.len() - 1]);
            assert!(last.train_loss < 0.8 * first.train_loss, "{first:?} {last:?}");
            assert!(last.held_out_loss < 0.9 * first.held_out_loss, "{first:?} {last:?}");
        }
        let (a, b) = (one[3].train_loss, two[3].train_loss);
        assert!((a - b).abs() < 1e-3 * a, "{a} with one thread, {b} with two");
    }

    #[test]
    fn a_resumed_run_ends_as_one_that_was_never_stopped() {
        let data = data();
        let whole = finished(&data, SETTINGS, 2);
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("a.ckpt");
        let mut run = Run::new(SETTINGS, &data);
        for _ in 0..2 {
            run.epoch(&data, &mut Crew::new(2, SETTINGS.shape));
        }
        checkpoint::save(&run, &path).expect("the folder can be written");
        let mut resumed = checkpoint::load(&path).expect("the file is whole");
        while !resumed.is_done() {
            resumed.epoch(&data, &mut Crew::new(2, SETTINGS.shape));
        }
        assert_eq!(resumed.weights.model(), whole.weights.model());
        assert_eq!(resumed.adam, whole.adam);
    }
}
