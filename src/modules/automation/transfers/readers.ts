import { reader } from '../../../infra/read/reader'
import { transferPage } from './list'

/** Lists a page of the transfers the caller may list (`transferPage`). */
export const ListTransfers = reader('transfers.list', 'list', transferPage)
