#!/usr/bin/env python3
"""Drives the engine through python-chess, as GUIs and bots that use it do.

    python3 tests/python/analysis.py ENGINE

needs `pip install chess`. LONGAN_SYZYGY names a folder of tablebases of up to four men; without
it that part is skipped. Ends with an error at the first thing that is not as it must be.
"""

import os
import sys

import chess
import chess.engine
import chess.syzygy

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
TABLES = os.environ.get("LONGAN_SYZYGY")


def check(condition, message):
    if not condition:
        sys.exit(f"analysis.py: {message}")


def check_line(board, line):
    """Every move of the line is legal."""
    board = board.copy()
    for move in line:
        check(board.is_legal(move), f"{move} is illegal in {board.fen()}")
        board.push(move)


def multipv_and_wdl(engine):
    board = chess.Board(KIWIPETE)
    lines = engine.analyse(
        board, chess.engine.Limit(depth=10), multipv=3, options={"UCI_ShowWDL": True}
    )
    check(len(lines) == 3, f"{len(lines)} lines instead of 3")
    check(len({line["pv"][0] for line in lines}) == 3, "lines with the same move")
    scores = [line["score"].relative.score(mate_score=100_000) for line in lines]
    check(scores == sorted(scores, reverse=True), f"unsorted scores {scores}")
    wins = [line["wdl"].relative.expectation() for line in lines]
    check(wins == sorted(wins, reverse=True), f"winning chances against the scores: {wins}")
    for line in lines:
        check(line["depth"] == 10, f"depth {line['depth']}")
        check(sum(line["wdl"].relative) == 1000, f"chances {line['wdl']}")
        check_line(board, line["pv"])
    return f"MultiPV 3 and WDL: {', '.join(board.san(line['pv'][0]) for line in lines)}"


def infinite_analysis(engine):
    board = chess.Board(KIWIPETE)
    depth = 0
    with engine.analysis(board) as analysis:
        for info in analysis:
            depth = max(depth, info.get("depth", 0))
            if depth >= 8:
                break
        analysis.stop()
        best = analysis.wait().move
    check(board.is_legal(best), f"best move {best}")
    return f"infinite analysis stopped at depth {depth}"


def tablebases(engine):
    if not TABLES:
        return "tablebases: skipped, LONGAN_SYZYGY names no folder"
    engine.configure({"SyzygyPath": TABLES})
    fen = "8/8/8/8/3k4/8/8/KBN5 w - - 0 1"
    board = chess.Board(fen)
    with chess.syzygy.open_tablebase(TABLES) as tables:
        while not board.is_game_over() and not board.is_repetition(3) and not board.is_fifty_moves():
            result = engine.play(board, chess.engine.Limit(nodes=2000), info=chess.engine.INFO_ALL)
            check(result.info.get("tbhits", 0) > 0, f"no tablebase hits in {board.fen()}")
            before = tables.probe_wdl(board)
            board.push(result.move)
            check(-tables.probe_wdl(board) == before, f"{result.move} spoils {board.fen()}")
    check(board.is_checkmate(), f"no mate: {board.fen()}")
    engine.configure({"SyzygyPath": ""})
    return f"tablebases: bishop and knight mate in {board.fullmove_number} moves"


def chess960(engine):
    plies = 0
    for number in (0, 518, 959):
        board = chess.Board.from_chess960_pos(number)
        while not board.is_game_over(claim_draw=True) and board.ply() < 120:
            board.push(engine.play(board, chess.engine.Limit(nodes=1500)).move)
        plies += board.ply()
    # Castling is offered as the king taking the rook.
    board = chess.Board("1k6/8/8/8/8/8/8/3KR2R w E - 0 1", chess960=True)
    castle = chess.Move.from_uci("d1e1")
    move = engine.play(board, chess.engine.Limit(depth=4), root_moves=[castle]).move
    check(move == castle, f"{move} instead of castling")
    return f"Chess960: three games, {plies} plies"


def limited_game(engine):
    """A weak and a strong level play; the strong one should be ahead at the end."""
    board = chess.Board()
    levels = {chess.WHITE: 1000, chess.BLACK: 2400}
    while not board.is_game_over(claim_draw=True) and board.ply() < 200:
        options = {"UCI_LimitStrength": True, "UCI_Elo": levels[board.turn]}
        result = engine.play(board, chess.engine.Limit(time=10), options=options)
        check(board.is_legal(result.move), f"{result.move} in {board.fen()}")
        board.push(result.move)
    outcome = board.outcome(claim_draw=True)
    winner = outcome.winner if outcome else None
    check(winner != chess.WHITE, "level 1000 beat level 2400")
    return f"strength-limited game: {board.result(claim_draw=True)} in {board.ply()} plies"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    parts = (multipv_and_wdl, infinite_analysis, tablebases, chess960, limited_game)
    with chess.engine.SimpleEngine.popen_uci(sys.argv[1], timeout=60) as engine:
        for part in parts:
            print(part(engine), flush=True)


if __name__ == "__main__":
    main()
