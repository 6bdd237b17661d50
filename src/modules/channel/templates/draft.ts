import type { FieldProblem } from '../../../lib/errors'
import { readOrThrow, type Report } from '../../../lib/input-problems'
import type { Ctx } from '../../../infra/ctx'
import { searchKey } from '../../../infra/search-keys'
import {
  componentOf,
  headerKind,
  mediaFormatOf,
  type Component,
  type ParameterFormat,
} from '../../../platform/templates/components'
import { findAccount } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { findFlow } from '../flows/state'
import { requireUsableMedia } from '../media/prepare-to-send'
import { checkOptOut } from './creative-opt-out'
import { checkMaxPrice } from './max-price'
import { CATEGORIES } from './model'
import { bodyTextOf, readComponents } from './validate/components'
import type { Sample } from './validate/texts'
import type { TemplateRow } from './view'
import { cardFilesOf } from './files'

const MAX_PROBLEMS = 100

const LANGUAGE = /^[a-z]{2,3}(_[A-Z]{2})?$/

/** The content of a template draft, without its name, language and account. */
export interface DraftInput {
  category: string
  components: readonly unknown[]
  samples: readonly Sample[]
  format: string | undefined
  ttlS: number | null
  maxPrice: number | null
  creativeOptOut: boolean | null
  headerMediaId: string | null
}

/** Validated content of a template. */
export interface ValidatedDraft {
  category: string
  components: Component[]
  format: ParameterFormat
  ttlS: number | null
  maxPrice: number | null
  creativeOptOut: boolean | null
  headerMediaId: string | null
}

/** Name, language and account of a template, as given by the caller. */
export interface NameInput {
  name: string
  language: string
  accountId: string
}

/**
 * Returns the name in the form the platform accepts: lower case, `_` for spaces and dashes, only
 * letters, digits and `_`.
 */
const plainName = (written: string): string =>
  written
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replaceAll(/[^a-z0-9_]/g, '')

/** Allowed delivery time by category, seconds (platform documentation). */
const TTL_LIMITS_S: Readonly<Record<string, [min: number, max: number]>> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
}

/**
 * Validates a template (templates contract A), with `naming` also its name, language and account.
 * Throws InvalidError `invalid_input`, whose `errors` list every problem.
 */
export function readDraft(
  ctx: Ctx,
  input: DraftInput,
  naming: NameInput | null,
): ValidatedDraft & { name: string; language: string; account: AccountRow | null } {
  return readOrThrow((report) => {
    const named =
      naming === null ? { name: '', language: '', account: null } : readNaming(ctx, report, naming)
    const category = input.category.toUpperCase()
    if (!CATEGORIES.some((known) => known === category))
      report('body.category', `must be one of ${CATEGORIES.join(', ')}`)
    const format = readFormat(report, input.format)
    const read = readComponents(report, {
      category,
      components: input.components,
      samples: input.samples,
      format,
    })
    const [min, max] = TTL_LIMITS_S[category] ?? [30, 2_592_000]
    if (input.ttlS !== null && (input.ttlS < min || input.ttlS > max))
      report(
        'body.message_send_ttl_seconds',
        `must be a whole number from ${min} to ${max} for the category ${category}`,
      )
    checkMaxPrice(report, category, input.maxPrice)
    checkOptOut(report, category, input.creativeOptOut)
    checkFiles(ctx, report, read.components, input.headerMediaId)
    checkFlow(ctx, report, read.components)
    const { ttlS, maxPrice, creativeOptOut, headerMediaId } = input
    return { ...named, category, ...read, ttlS, maxPrice, creativeOptOut, headerMediaId }
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

/** Reports an unknown Flow of a Flow button. IDs of the platform are accepted unchecked. */
function checkFlow(ctx: Ctx, report: Report, components: readonly Component[]): void {
  const button = componentOf(components, 'BUTTONS')?.buttons.find(({ type }) => type === 'FLOW')
  const flowId = button?.type === 'FLOW' ? button.flow_id : undefined
  if (flowId === undefined || /^\d{1,32}$/.test(flowId)) return
  const row = findFlow(ctx, flowId.toLowerCase())
  if (!row || row.deletedAtMs !== null)
    report('body.components.buttons.flow_id', 'is not a flow of this organization')
}

/** Reports stored files that are missing or do not fit their header. */
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

/** Returns the text that the template search looks in: names, the technical one also as words, and body. */
export const searchTextOf = (
  template: Pick<TemplateRow, 'name' | 'displayName'>,
  components: readonly Component[],
): string => {
  const { name, displayName } = template
  return searchKey(name, name.replaceAll('_', ' '), displayName, bodyTextOf(components))
}
