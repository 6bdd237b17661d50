import { reader } from '../../../../infra/read/reader'
import { listRecipients, nextRecipients } from './queries'

/** Lists a page of the recipients of a campaign (`listRecipients`). */
export const ListRecipients = reader('campaigns.recipients', 'list', listRecipients)

/** Reads the next recipients of a file (`nextRecipients`). */
export const ReadNextRecipients = reader('campaigns.next-recipients', 'list', nextRecipients)
