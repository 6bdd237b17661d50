import { and, eq, inArray } from 'drizzle-orm'

import { derivedId } from '../../../../lib/ids'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { PlatformError } from '../../../../platform/client/errors'
import type {
  BusinessUsername,
  CommerceSettings,
  ConversationStarters,
  MessageLink,
} from '../../../../platform/client/entry-point-calls'
import { media } from '../../media/table'
import { numberCallOf } from '../platform-calls'
import { callPlatform, isTemporary, platformErrorOf } from '../platform-errors'
import { getAccount } from '../queries'
import type { AccountRow } from '../view'
import type { EntryPointsView } from './model'

const READ = { rejected: 'The platform rejected the request for the entry points of this number.' }

/** The ways into a chat with a number, in the platform's words. */
export interface EntryPoints {
  links: MessageLink[]
  starters: ConversationStarters
  commerce: CommerceSettings | null
  username: BusinessUsername | null
}

/**
 * Returns the ways into a chat with a number from the platform. Throws NotFoundError, InvalidError and UnavailableError.
 */
export async function readEntryPoints(ctx: Ctx, id: string): Promise<EntryPointsView> {
  const row = getAccount(ctx, id)
  return entryPointsView(ctx, row, await entryPointsOf(ctx, row))
}

/** Returns the entry points of a number in the platform's words. Throws the errors of readEntryPoints. */
export async function entryPointsOf(ctx: Ctx, row: AccountRow): Promise<EntryPoints> {
  const call = numberCallOf(ctx, row)
  return {
    links: await callPlatform(ctx.platform.listLinks(call), READ),
    starters: await callPlatform(ctx.platform.getConversationStarters(call), READ),
    commerce: await ifOffered(ctx.platform.getCommerce(call)),
    username: await ifOffered(ctx.platform.getUsername(call)),
  }
}

/**
 * Returns the answer, or `null` if the platform rejects the call: it does not offer these settings
 * to every number. Throws UnavailableError.
 */
async function ifOffered<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof PlatformError && !isTemporary(error)) return null
    throw platformErrorOf(error, READ)
  }
}

/** Returns the entry points as the API shows them, with the QR codes that are stored. */
export function entryPointsView(
  ctx: Ctx,
  row: AccountRow,
  { links, starters, commerce, username }: EntryPoints,
): EntryPointsView {
  const stored = storedQrCodes(ctx, row.id, links)
  return {
    links: links.map(({ code, message, url }) => ({
      id: code,
      message,
      url,
      qr_media_id: stored.get(code) ?? null,
    })),
    ice_breakers: starters.prompts,
    commands: starters.commands,
    welcome: starters.isWelcomeEnabled,
    commerce: commerce && {
      cart_enabled: commerce.hasCart,
      catalog_visible: commerce.showsCatalog,
    },
    username,
  }
}

/** Returns the ID of the file of a link's QR code. It is the same each time the file is stored. */
export const qrFileIdOf = (accountId: string, code: string): string =>
  derivedId(accountId, `qr:${code}`)

/** Returns the stored files of QR codes by the code of their link. */
export function storedQrCodes(
  ctx: Ctx,
  accountId: string,
  links: Pick<MessageLink, 'code'>[],
): Map<string, string> {
  const ids = new Map(links.map(({ code }) => [code, qrFileIdOf(accountId, code)]))
  if (ids.size === 0) return ids
  const stored = ctx.db.orm
    .select({ id: media.id })
    .from(media)
    .where(
      inOrganization(
        ctx,
        media,
        and(inArray(media.id, [...ids.values()]), eq(media.state, 'ready')),
      ),
    )
    .all()
  const isStored = new Set(stored.map(({ id }) => id))
  return new Map([...ids].filter(([, id]) => isStored.has(id)))
}
