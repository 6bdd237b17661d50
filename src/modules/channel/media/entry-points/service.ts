import { fieldSentence, InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { MessageLink } from '../../../../platform/client/entry-point-calls'
import { numberCallOf } from '../../accounts/platform-calls'
import {
  entryPointsOf,
  entryPointsView,
  qrFileIdOf,
  type EntryPoints,
} from '../../accounts/entry-points/read'
import type { EntryPointsView, EntryPointChanges } from '../../accounts/entry-points/model'
import { callPlatform } from '../../accounts/platform-errors'
import { getAccount } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { differences, recordAudit } from '../../../organization/audit/record'
import { releaseMediaIn } from '../store'
import { storeQrCodes } from './qr-files'

const WRITE = { rejected: 'The platform rejected these entry points.' }

/** Links that one request may create, change and delete: each is a call to the platform. */
const MAX_CHANGES = 100

/**
 * Changes the given ways into a chat with a number at the platform, stores QR codes, and records what
 * changed, also if the platform rejects a later step. Throws the errors of readEntryPoints, and
 * InvalidError for an unknown link and for too many changes.
 */
export async function updateEntryPoints(
  ctx: Ctx,
  id: string,
  wanted: EntryPointChanges,
): Promise<EntryPointsView> {
  const row = getAccount(ctx, id)
  const before = await entryPointsOf(ctx, row)
  const plan = planOf(before.links, wanted.links)
  const done: EntryPoints = { ...before, links: [...before.links] }
  try {
    await saveLinks(ctx, row, { plan, done })
    await saveStarters(ctx, row, wanted, done)
    await saveCommerce(ctx, row, wanted, done)
    await saveUsername(ctx, row, wanted, done)
    // Last, because a deleted link never comes back.
    await deleteLinks(ctx, row, { plan, done })
  } finally {
    recordChanges(ctx, row, { before, after: done })
  }
  const after = await entryPointsOf(ctx, row)
  await storeQrCodes(ctx, row.id, after.links)
  return entryPointsView(ctx, row, after)
}

/** Changes to the links of a number. */
interface Plan {
  created: string[]
  changed: { code: string; message: string }[]
  deleted: string[]
}

/**
 * Returns the changes from the links of a number to the wanted ones; none if they are not given. Throws
 * InvalidError.
 */
function planOf(known: MessageLink[], wanted: EntryPointChanges['links']): Plan {
  const messages = new Map(known.map(({ code, message }) => [code, message]))
  const kept = new Set<string>()
  const plan: Plan = { created: [], changed: [], deleted: [] }
  if (wanted === undefined) return plan
  wanted.forEach(({ id, message }, at) => {
    if (id === undefined) return plan.created.push(message)
    const path = `body.links.${at}.id`
    if (!messages.has(id)) throw invalid(path, 'must be the ID of a link of this number')
    if (kept.has(id)) throw invalid(path, 'must not be repeated')
    kept.add(id)
    return messages.get(id) === message ? 0 : plan.changed.push({ code: id, message })
  })
  plan.deleted = [...messages.keys()].filter((code) => !kept.has(code))
  if (plan.created.length + plan.changed.length + plan.deleted.length > MAX_CHANGES)
    throw invalid('body.links', `must create, change and delete at most ${MAX_CHANGES} links`)
  return plan
}

const invalid = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/** Saves what customers see in an empty chat, which the platform only takes together. */
async function saveStarters(
  ctx: Ctx,
  row: AccountRow,
  { ice_breakers, commands, welcome }: EntryPointChanges,
  done: EntryPoints,
): Promise<void> {
  if ((ice_breakers ?? commands ?? welcome) === undefined) return
  const starters = {
    isWelcomeEnabled: welcome ?? done.starters.isWelcomeEnabled,
    prompts: ice_breakers ?? done.starters.prompts,
    commands: commands ?? done.starters.commands,
  }
  const call = { ...numberCallOf(ctx, row), starters }
  await callPlatform(ctx.platform.setConversationStarters(call), WRITE)
  done.starters = starters
}

async function saveCommerce(
  ctx: Ctx,
  row: AccountRow,
  { commerce }: EntryPointChanges,
  done: EntryPoints,
): Promise<void> {
  if (commerce === undefined) return
  const wanted = { hasCart: commerce.cart_enabled, showsCatalog: commerce.catalog_visible }
  const { hasCart, showsCatalog } = done.commerce ?? {}
  if (hasCart === wanted.hasCart && showsCatalog === wanted.showsCatalog) return
  const call = { ...numberCallOf(ctx, row), commerce: wanted }
  await callPlatform(ctx.platform.setCommerce(call), WRITE)
  done.commerce = wanted
}

async function saveUsername(
  ctx: Ctx,
  row: AccountRow,
  { username }: EntryPointChanges,
  done: EntryPoints,
): Promise<void> {
  if (username === undefined || username === (done.username?.name ?? null)) return
  const call = { ...numberCallOf(ctx, row), username }
  await callPlatform(ctx.platform.setUsername(call), WRITE)
  done.username = username === null ? null : { name: username, status: null }
}

/** A plan, and the state of the number after each finished step. */
interface Progress {
  plan: Plan
  done: EntryPoints
}

async function saveLinks(ctx: Ctx, row: AccountRow, { plan, done }: Progress): Promise<void> {
  const call = numberCallOf(ctx, row)
  for (const { code, message } of plan.changed) {
    await callPlatform(ctx.platform.updateLink({ ...call, code, message }), WRITE)
    done.links = done.links.map((link) => (link.code === code ? { ...link, message } : link))
  }
  for (const message of plan.created)
    done.links.push(await callPlatform(ctx.platform.createLink({ ...call, message }), WRITE))
}

async function deleteLinks(ctx: Ctx, row: AccountRow, { plan, done }: Progress): Promise<void> {
  const call = numberCallOf(ctx, row)
  for (const code of plan.deleted) {
    await callPlatform(ctx.platform.deleteLink({ ...call, code }), WRITE)
    done.links = done.links.filter((link) => link.code !== code)
    transact(ctx.db, (tx) => releaseMediaIn(tx, ctx, qrFileIdOf(row.id, code)))
  }
}

function recordChanges(
  ctx: Ctx,
  row: AccountRow,
  { before, after }: { before: EntryPoints; after: EntryPoints },
): void {
  const changes = differences(recorded(before), recorded(after))
  if (changes.length === 0) return
  transact(ctx.db, (tx) =>
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'account',
      resourceId: row.id,
      resourceName: row.name,
      changes,
    }),
  )
}

const recorded = ({
  links,
  starters,
  commerce,
  username,
}: EntryPoints): Record<string, unknown> => ({
  links: links.map(({ code, message }) => ({ id: code, message })),
  ice_breakers: starters.prompts,
  commands: starters.commands,
  welcome: starters.isWelcomeEnabled,
  commerce: commerce && {
    cart_enabled: commerce.hasCart,
    catalog_visible: commerce.showsCatalog,
  },
  username: username?.name ?? null,
})
