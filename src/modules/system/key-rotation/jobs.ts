import { Type } from '@sinclair/typebox'

import { onCommit } from '../../../infra/db/transact'
import { defineTransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { retireFormerKeysIn, rotationOf } from '../../../infra/keys/keyring'
import { resealSomeIn } from './steps'

/** What the log says when the former key is not needed any more. */
export const REMOVABLE =
  'nothing is encrypted with the former secret key any more: SECRET_KEY_PREVIOUS can be removed'

/**
 * Encrypts stored secrets with the present key that were encrypted with the former one, some rows
 * at a time, table after table.
 */
export const resealSecrets = defineTransactionJob({
  name: 'system.reseal-secrets',
  lane: 'default',
  args: Type.Object({ keyId: Type.String(), table: Type.String(), after: Type.String() }),
  isKept: false,
  run(tx, ctx, { keyId, ...place }) {
    // a later rotation has a job of its own, which begins with the first table
    if (keyId !== ctx.vault.currentKeyId) return
    const next = resealSomeIn(tx, ctx, place)
    if (next) return void enqueue(tx, ctx, resealSecrets, { args: { keyId, ...next } })
    if (!rotationOf(ctx).isUnderway) return
    retireFormerKeysIn(tx, ctx)
    onCommit(tx, () => ctx.log.info(REMOVABLE))
  },
})
