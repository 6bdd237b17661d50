import { Type } from '@sinclair/typebox'

import { HOUR_MS } from '../../../lib/clock'
import { defineJob } from '../../../infra/jobs/define'
import { failIn } from '../../imports/finish'
import { runImport } from '../../imports/run'
import type { Work } from '../../imports/importer'
import { recipientWork } from './import-row'

const INTERNAL = {
  code: 'internal_error',
  message: 'It could not go on because of an error of this server.',
}

/** Works off a file of recipients. */
export const workOffRecipients = defineJob({
  name: 'campaign.import',
  lane: 'default',
  args: Type.Object({ importId: Type.String() }),
  timeoutMs: HOUR_MS,
  run: (ctx, { importId }) =>
    runImport(ctx, importId, {
      workOf: () => recipientWork as unknown as Work<unknown>,
      permission: 'campaigns:create',
    }), // it reads what it itself has written
  whenDiscarded: (tx, ctx, { importId }) => void failIn(tx, ctx, importId, INTERNAL),
})
