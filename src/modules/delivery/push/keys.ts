import { eq } from 'drizzle-orm'

import { AppError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { encryptedColumns, type EncryptedTable } from '../../../infra/keys/encrypted-columns'
import { createServerKeys, type BrowserKeys, type ServerKeys } from './encrypt'
import { pushKeys, pushSubscriptions } from './table'

/** The only row of the key pair. */
const ID = 1

const KEY_PLACE = 'push_keys/private_key'

/** Throws AppError 404 if push notifications are off. */
export function requirePush({ settings }: Pick<Ctx, 'settings'>): void {
  if (!settings.hasWebPush)
    throw new AppError(
      404,
      'This server sends no push notifications, because `BASE_URL` is not https or `WEB_PUSH` is ' +
        'false.',
      { code: 'not_found' },
    )
}

/** Returns the key pair of the installation. Creates it when it is first needed. */
export function serverKeys(ctx: Pick<Ctx, 'db' | 'clock' | 'vault'>): ServerKeys {
  const stored = ctx.db.orm.select().from(pushKeys).where(eq(pushKeys.id, ID)).get()
  if (stored)
    return {
      publicKey: stored.publicKey,
      privateKey: ctx.vault.open(stored.privateKeySealed, KEY_PLACE),
    }
  const made = createServerKeys()
  return transact(ctx.db, (tx) => {
    tx.insert(pushKeys)
      .values({
        id: ID,
        publicKey: made.publicKey,
        privateKeySealed: ctx.vault.seal(made.privateKey, KEY_PLACE),
        createdAtMs: ctx.clock.nowMs(),
      })
      .run()
    return made
  })
}

/** Where a browser is reached, and the keys to encrypt for it. */
export interface PushTarget {
  endpoint: string
  keys: BrowserKeys
}

type SubscriptionKey = Pick<typeof pushSubscriptions.$inferSelect, 'organizationId' | 'id'>

const placeOf = ({ organizationId, id }: SubscriptionKey): string =>
  `${organizationId}/push_subscriptions/target/${id}`

/** Returns a target encrypted for its subscription. */
export const sealTarget = (
  { vault }: Pick<Ctx, 'vault'>,
  at: SubscriptionKey,
  target: PushTarget,
): string => vault.seal(JSON.stringify(target), placeOf(at))

/** Returns the target of a subscription. */
export const openTarget = (
  { vault }: Pick<Ctx, 'vault'>,
  row: SubscriptionKey & { targetSealed: string },
): PushTarget => JSON.parse(vault.open(row.targetSealed, placeOf(row))) as PushTarget

/** The private key of the installation. */
export const sealedPushKeys: EncryptedTable = {
  name: 'push_keys',
  reencryptIn(tx, deps) {
    for (const row of tx.select().from(pushKeys).all())
      tx.update(pushKeys)
        .set({ privateKeySealed: deps.vault.reseal(row.privateKeySealed, KEY_PLACE) })
        .where(eq(pushKeys.id, row.id))
        .run()
    return null
  },
}

/** Addresses and keys of browsers. */
export const sealedPushSubscriptions = encryptedColumns(
  pushSubscriptions,
  ['targetSealed'],
  placeOf,
)
