import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Mails a password reset link to an email address, if it belongs to a user who can sign in. */
export const MailResetLink = job('auth.mail-reset-link', Type.Object({ sealed: Type.String() }), {
  queue: 'default',
  priority: 'high', // somebody waits for it
})
