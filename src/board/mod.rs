//! The rules of chess. The seams are listed in the module documentation as it grows.
