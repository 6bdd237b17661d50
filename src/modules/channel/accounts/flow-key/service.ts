import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

import { eq } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { PlatformError } from '../../../../platform/client/errors'
import { HIDDEN, recordAudit } from '../../../organization/audit/record'
import { numberCallOf } from '../platform-calls'
import { AccountChanged } from '../events'
import { platformErrorOf } from '../platform-errors'
import { openSecret, sealSecret } from '../secrets'
import { getAccount } from '../queries'
import { accounts } from '../table'
import type { AccountRow } from '../view'
import type { FlowKeyView } from './model'

const makeKeyPair = promisify(generateKeyPair)

/** Key length that the platform accepts (platform documentation: Flows, endpoint). */
const BITS = 2_048

/**
 * Returns the public key of a number's Flow data endpoint. Its fields are null if there is no key.
 * Throws NotFoundError.
 */
export const flowKeyOf = (ctx: Ctx, id: string): FlowKeyView => viewOf(getAccount(ctx, id))

const viewOf = (row: AccountRow): FlowKeyView => ({
  public_key: row.flowPublicKey,
  signature_status: row.flowKeyStatus,
  created_at: isoTimeOrNull(row.flowKeyCreatedAtMs),
})

/**
 * Creates a new key pair for a number and uploads the public key to the platform. The previous
 * private key is kept, because phones cache the public key for a while. Throws NotFoundError,
 * InvalidError `platform_rejected` and UnavailableError.
 */
export async function renewFlowKey(ctx: Ctx, id: string): Promise<FlowKeyView> {
  const row = getAccount(ctx, id)
  const { publicKey, privateKey } = await makeKeyPair('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  // Stored before the upload, so that requests encrypted with the new key can be read even if this
  // call is interrupted.
  const nextSealed = sealSecret(ctx, id, 'flowNextKeySealed', privateKey)
  transact(ctx.db, (tx) => setKeysIn(tx, ctx, id, { flowNextKeySealed: nextSealed }))
  const status = await uploadPublicKey(ctx, row, publicKey)
  return transact(ctx.db, (tx) => {
    const former = openSecret(ctx, getAccount(ctx, id), 'flowPrivateKeySealed')
    const nowMs = ctx.clock.nowMs()
    setKeysIn(tx, ctx, id, {
      flowPublicKey: publicKey,
      flowPrivateKeySealed: sealSecret(ctx, id, 'flowPrivateKeySealed', privateKey),
      flowFormerKeySealed: sealSecret(ctx, id, 'flowFormerKeySealed', former),
      flowNextKeySealed: null,
      flowKeyStatus: status,
      flowKeyCreatedAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    recordAudit(tx, ctx, {
      action: 'flow_key_renewed',
      resourceType: 'account',
      resourceId: id,
      resourceName: row.name,
      changes: [
        {
          field: 'flow_key',
          old_value: row.flowPublicKey === null ? null : HIDDEN,
          new_value: HIDDEN,
        },
      ],
    })
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: id, changed: ['has_flow_key'], isConnected: false },
    })
    return viewOf(getAccount(ctx, id))
  })
}

function setKeysIn(tx: Tx, ctx: Ctx, id: string, keys: Partial<AccountRow>): void {
  tx.update(accounts)
    .set(keys)
    .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
    .run()
}

/**
 * Uploads a public key and returns its signature status. An upload without a response succeeds if
 * the platform has the key afterwards.
 */
async function uploadPublicKey(
  ctx: Ctx,
  row: AccountRow,
  publicKey: string,
): Promise<string | null> {
  const call = numberCallOf(ctx, row)
  try {
    await ctx.platform.setFlowKey({ ...call, publicKey })
  } catch (error) {
    const held =
      error instanceof PlatformError && error.outcome === 'ambiguous'
        ? await keyAtPlatform(ctx, row)
        : null
    if (held?.publicKey.trim() !== publicKey.trim())
      throw platformErrorOf(error, {
        rejected:
          'The platform rejected the public key of this number. Check that the number is ' +
          'registered.',
      })
    return held.status
  }
  return (await keyAtPlatform(ctx, row))?.status ?? null
}

/**
 * Returns the key stored at the platform, or `null` if there is none or the platform gives no
 * answer.
 */
async function keyAtPlatform(ctx: Ctx, row: AccountRow) {
  try {
    return await ctx.platform.getFlowKey(numberCallOf(ctx, row))
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}
