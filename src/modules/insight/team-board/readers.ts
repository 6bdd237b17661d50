import { reader } from '../../../infra/read/reader'
import { teamBoard, wholeBoard } from './queries'

/** A page of the people on the board, with queues and summary. */
export const ReadTeamBoard = reader('team-board.page', 'list', teamBoard)

/** The board with all its people. */
export const ReadWholeBoard = reader('team-board.whole', 'list', (ctx, _query: null) =>
  wholeBoard(ctx),
)
