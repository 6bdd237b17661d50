import { and, eq, ne } from 'drizzle-orm'

import { ConflictError, type FieldProblem } from '../../lib/errors'
import { readOrThrow, type Report } from '../../lib/input-problems'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { searchKey } from '../../infra/search-keys'
import {
  componentOf,
  headerKind,
  mediaFormatOf,
  type Component,
  type ParameterFormat,
} from '../../platform/templates/components'
import { findAccount } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { findFlow } from '../flows/state'
import { requireUsableMedia } from '../media/prepare-to-send'
import { findMedia, keepMediaIn, releaseMediaIn } from '../media/store'
import { CATEGORIES } from './model'
import { bodyTextOf, readComponents } from './validate/components'
import type { Sample } from './validate/texts'
import { templateCardFiles, templates } from './table'
import { componentsOf, sentComponentsOf, sentHeaderFileOf, type TemplateRow } from './view'

const MAX_PROBLEMS = 100
const MAX_NAME_LENGTH = 512
const LANGUAGE = /^[a-z]{2,3}(_[A-Z]{2})?$/

/** What may be said of a template beside what names it. */
export interface DraftInput {
  category: string
  components: readonly unknown[]
  samples: readonly Sample[]
  format: string | undefined
  ttlS: number | null
  headerMediaId: string | null
}

/** A template that was found good. */
export interface Drafted {
  category: string
  components: Component[]
  format: ParameterFormat
  ttlS: number | null
  headerMediaId: string | null
}

/** What names a template, as it was asked for. */
export interface NameInput {
  name: string
  language: string
  accountId: string
}

/**
 * A template's name as the platform takes it: lower case, `_` for spaces and dashes, nothing but
 * letters, digits and `_`.
 */
const plainName = (written: string): string =>
  written
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replaceAll(/[^a-z0-9_]/g, '')
    .slice(0, MAX_NAME_LENGTH)

/** How long the platform may try to deliver, seconds, by category (platform documentation). */
const TTL: Readonly<Record<string, [least: number, most: number]>> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
}

/**
 * Reads a template with everything that is wrong with it (templates contract A). With `naming` its
 * name, language and account too. Throws InvalidError `invalid_input`, whose `errors` name all of
 * it.
 */
export function readDraft(
  ctx: Ctx,
  asked: DraftInput,
  naming: NameInput | null,
): Drafted & { name: string; language: string; account: AccountRow | null } {
  return readOrThrow((report) => {
    const named =
      naming === null ? { name: '', language: '', account: null } : readNaming(ctx, report, naming)
    const category = asked.category.toUpperCase()
    if (!CATEGORIES.some((known) => known === category))
      report('body.category', `must be one of ${CATEGORIES.join(', ')}`)
    const format = readFormat(report, asked.format)
    const read = readComponents(report, {
      category,
      components: asked.components,
      samples: asked.samples,
      format,
    })
    const [least, most] = TTL[category] ?? [30, 2_592_000]
    if (asked.ttlS !== null && (asked.ttlS < least || asked.ttlS > most))
      report(
        'body.message_send_ttl_seconds',
        `must be a whole number from ${least} to ${most} for the category ${category}`,
      )
    checkFiles(ctx, report, read.components, asked.headerMediaId)
    checkFlow(ctx, report, read.components)
    return { ...named, category, ...read, ttlS: asked.ttlS, headerMediaId: asked.headerMediaId }
  }, MAX_PROBLEMS)
}

function readNaming(ctx: Ctx, report: Report, { name, language, accountId }: NameInput) {
  const plain = plainName(name)
  if (plain === '') report('body.name', 'must contain letters a to z, digits or _')
  if (!LANGUAGE.test(language))
    report('body.language', 'must be a language such as en, fil or pt_BR')
  const account = findAccount(ctx, accountId)
  if (account === null || account.deletedAtMs !== null)
    report('body.account_id', 'is not a connected phone number')
  return { name: plain, language, account }
}

function readFormat(report: Report, format: string | undefined): ParameterFormat | undefined {
  const plain = format?.toLowerCase()
  if (plain === undefined || plain === 'positional' || plain === 'named') return plain
  report('body.parameter_format', 'must be positional or named')
  return undefined
}

/**
 * A form that a template names must be one of ours, by our id; the platform's own ids are taken as
 * they are.
 */
function checkFlow(ctx: Ctx, report: Report, components: readonly Component[]): void {
  const button = componentOf(components, 'BUTTONS')?.buttons.find(({ type }) => type === 'FLOW')
  const flowId = button?.type === 'FLOW' ? button.flow_id : undefined
  if (flowId === undefined || /^\d{1,32}$/.test(flowId)) return
  const row = findFlow(ctx, flowId.toLowerCase())
  if (!row || row.deletedAtMs !== null)
    report('body.components.buttons.flow_id', 'is not a flow of this organization')
}

/** Files of ours that a template names must be here and fit. */
function checkFiles(
  ctx: Ctx,
  report: Report,
  components: readonly Component[],
  headerMediaId: string | null,
): void {
  const format = mediaFormatOf(componentOf(components, 'HEADER'))
  const files = cardFilesOf(components).map(({ card, mediaId, kind }) => ({
    mediaId,
    kind,
    path: `body.components.cards.${card}.media_id`,
  }))
  if (headerMediaId !== null && format === null)
    report('body.header_media_id', 'is only allowed for a header with a file')
  if (headerMediaId !== null && format !== null)
    files.push({ mediaId: headerMediaId, kind: headerKind(format), path: 'body.header_media_id' })
  for (const { mediaId, kind, path } of files) {
    const problem = problemOf(() => requireUsableMedia(ctx, mediaId, kind, path))
    if (problem) report(problem.path, problem.message)
  }
}

function problemOf(check: () => unknown): FieldProblem | null {
  try {
    check()
    return null
  } catch (error) {
    const [problem] = (error as { errors?: FieldProblem[] }).errors ?? []
    if (!problem) throw error
    return problem
  }
}

/** The files of ours that the cards of a template name. */
const cardFilesOf = (
  components: readonly Component[],
): { card: number; mediaId: string; kind: 'image' | 'video' | 'document' }[] =>
  (componentOf(components, 'CAROUSEL')?.cards ?? []).flatMap((part, card) => {
    const header = componentOf(part.components, 'HEADER')
    const format = mediaFormatOf(header)
    const mediaId = header !== undefined && 'media_id' in header ? header.media_id : undefined
    return format === null || mediaId === undefined
      ? []
      : [{ card, mediaId, kind: headerKind(format) }]
  })

/**
 * Places of files in `template_card_files` beside those of the cards people work on: the cards the
 * platform has, and its header.
 */
const PUBLISHED_CARDS = 100
const PUBLISHED_HEADER = 200

/**
 * The files of ours that what the platform has names, and that are still here: they are sent until
 * what people work on is published.
 */
function publishedFilesOf(ctx: Ctx, row: TemplateRow): { card: number; mediaId: string }[] {
  if (row.publishedComponents === null || row.deletedAtMs !== null) return []
  const header = sentHeaderFileOf(row)
  const named = [
    ...cardFilesOf(sentComponentsOf(row)).map(({ card, mediaId }) => ({
      card: PUBLISHED_CARDS + card,
      mediaId,
    })),
    ...(header === null ? [] : [{ card: PUBLISHED_HEADER, mediaId: header }]),
  ]
  const here = new Set(
    findMedia(
      ctx,
      named.map(({ mediaId }) => mediaId),
    ).map(({ id }) => id),
  )
  return named.filter(({ mediaId }) => here.has(mediaId))
}

/**
 * Keeps the files of a template, as people work on it and as it is sent, and lets go what it no
 * longer names, in the transaction that writes it.
 */
export function keepFilesIn(tx: Tx, ctx: Ctx, row: TemplateRow, before: TemplateRow | null): void {
  const files = [...cardFilesOf(componentsOf(row)), ...publishedFilesOf(ctx, row)]
  tx.delete(templateCardFiles)
    .where(inOrganization(ctx, templateCardFiles, eq(templateCardFiles.templateId, row.id)))
    .run()
  for (const { card, mediaId } of files)
    tx.insert(templateCardFiles)
      .values({ organizationId: ctx.organizationId, templateId: row.id, card, mediaId })
      .run()
  const kept = [
    ...files.map(({ mediaId }) => mediaId),
    ...(row.headerMediaId === null ? [] : [row.headerMediaId]),
  ]
  keepMediaIn(tx, ctx, kept)
  const former =
    before === null
      ? []
      : [
          ...[...cardFilesOf(componentsOf(before)), ...publishedFilesOf(ctx, before)].map(
            ({ mediaId }) => mediaId,
          ),
          before.headerMediaId,
        ]
  for (const id of new Set(former))
    if (id !== null && !kept.includes(id)) releaseMediaIn(tx, ctx, id)
}

/** What a template is found by: its names and its text. */
export const wordsOf = (
  template: Pick<TemplateRow, 'name' | 'displayName'>,
  components: readonly Component[],
): string => searchKey(template.name, template.displayName, bodyTextOf(components))

/**
 * Refuses a second template of a name and a language in a business account. Throws ConflictError
 * `template_exists`.
 */
export function refuseTaken(
  ctx: Ctx,
  place: { businessId: string; name: string; languageKey: string },
): void {
  const taken = ctx.db.orm
    .select({ id: templates.id })
    .from(templates)
    .where(
      inOrganization(
        ctx,
        templates,
        and(
          eq(templates.businessId, place.businessId),
          eq(templates.name, place.name),
          eq(templates.languageKey, place.languageKey),
          ne(templates.status, 'DELETED'),
        ),
      ),
    )
    .get()
  if (taken)
    throw new ConflictError('A template with this name and language already exists.', {
      code: 'template_exists',
      details: { template_id: taken.id },
    })
}
