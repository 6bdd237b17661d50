import { reader } from '../../../infra/read/reader'
import { nextResponseLines } from './export-responses'
import { listResponses } from './list-responses'

/** Lists a page of the responses to a Flow (`listResponses`). */
export const ListFlowResponses = reader('flows.responses', 'list', listResponses)

/** Reads the next lines of their file (`nextResponseLines`). */
export const ReadNextResponseLines = reader('flows.next-response-lines', 'long', nextResponseLines)
