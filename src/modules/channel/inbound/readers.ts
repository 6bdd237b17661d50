import { reader } from '../../../infra/read/reader'
import { listInboundEvents } from './queries'
import { countChosen } from './select'

/** Lists a page of the changes that were received (`listInboundEvents`). */
export const ListInboundEvents = reader('inbound.list', 'list', listInboundEvents)

/** Counts the changes that a replay of the installation processes again (`countChosen`). */
export const CountReplayed = reader('inbound.count-chosen', 'long', countChosen)
