import { reader } from '../../../infra/read/reader'
import { listCalls } from './queries'

/** Lists a page of calls (`listCalls`). */
export const ListCalls = reader('calls.list', 'list', listCalls)
