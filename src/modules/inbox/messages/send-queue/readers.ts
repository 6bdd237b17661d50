import { reader } from '../../../../infra/read/reader'
import { countQueued, listOutbox } from './queries'

/** Lists a page of the send queue (`listOutbox`). */
export const ListOutbox = reader('outbox.list', 'list', listOutbox)

/** Counts the messages of the send queue (`countQueued`). */
export const CountQueued = reader('outbox.count', 'list', countQueued)
