import { reader } from '../../../infra/read/reader'
import { nextLines } from './read-rows'

/** Reads the next lines of an export (`nextLines`). */
export const ReadNextLines = reader('exports.next-lines', 'list', nextLines)
