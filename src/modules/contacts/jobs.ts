import { Type } from '@sinclair/typebox'

import { defineJob, type AsyncJob } from '../../infra/jobs/define'
import { tellPlatformOfBlock } from './block-on-platform'

interface Telling {
  contactId: string
  accountId: string
  isBlocked: boolean
}

/** Refusals aside the platform is asked a few times; the contact is blocked here all the same. */
const MAX_ATTEMPTS = 5

/** Asks the platform to keep a blocked contact away, or to let it through again. */
export const tellPlatform: AsyncJob<Telling> = defineJob({
  name: 'contact.tell-platform',
  lane: 'default',
  args: Type.Object({
    contactId: Type.String(),
    accountId: Type.String(),
    isBlocked: Type.Boolean(),
  }),
  maxAttempts: MAX_ATTEMPTS,
  run: (ctx, at) => tellPlatformOfBlock(ctx, at),
})
