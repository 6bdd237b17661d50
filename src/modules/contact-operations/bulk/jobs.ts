import { defineJob } from '../../../infra/jobs/define'
import { BulkChange, changeInBulk } from './change'

/** A change of a thousand contacts, or of a large segment, takes at most so long, milliseconds. */
const TIMEOUT_MS = 15 * 60_000

/** Makes one change to many contacts. */
export const changeContacts = defineJob({
  name: 'contact.bulk',
  lane: 'default',
  args: BulkChange,
  timeoutMs: TIMEOUT_MS,
  run: (ctx, change) => changeInBulk(ctx, change),
})
