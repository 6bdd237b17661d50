import { Type } from '@sinclair/typebox'

import { job } from '../jobs/job'

/** Sends one mail. The mail is encrypted; its link stops working at `expiresAtMs`. */
export const SendMail = job(
  'mail.send',
  Type.Object({ sealed: Type.String(), expiresAtMs: Type.Integer() }),
  { queue: 'default', priority: 'high' /* somebody waits for it */, maxAttempts: 8 },
)
