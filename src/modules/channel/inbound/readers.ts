import { reader } from '../../../infra/read/reader'
import { listInboundEvents } from './queries'

/** Lists a page of the changes that were received (`listInboundEvents`). */
export const ListInboundEvents = reader('inbound.list', 'list', listInboundEvents)
