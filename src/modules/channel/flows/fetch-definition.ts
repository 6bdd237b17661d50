import type { Ctx } from '../../../infra/ctx'
import { FetchRefusal } from '../../../infra/guarded-fetch'
import { PlatformError } from '../../../platform/client/errors'
import type { PlatformFlow } from '../../../platform/client/flow-facts'
import { businessCallOf } from '../accounts/platform-calls'
import type { AccountRow } from '../accounts/view'
import { definitionColumns, type DefinitionColumns } from './definition'
import { findFlowByMetaId } from './state'

const MAX_JSON_BYTES = 12 * 1024 * 1024

const FETCH_TIMEOUT_MS = 20_000

/**
 * Returns the JSON of a Flow if it is unknown or may have changed; `null` otherwise or if the
 * download fails.
 */
export async function fetchDefinition(
  ctx: Ctx,
  account: AccountRow,
  flow: PlatformFlow,
): Promise<DefinitionColumns | null> {
  const known = findFlowByMetaId(ctx, flow.id)
  const isKept =
    known !== null &&
    (known.hasLocalChanges ||
      known.deletedAtMs !== null ||
      (known.definition !== null && flow.status !== 'DRAFT'))
  if (isKept) return null
  const { apiVersion, accessToken } = businessCallOf(ctx, account)
  try {
    const url = await ctx.platform.getFlowJsonUrl({ flowId: flow.id, apiVersion, accessToken })
    return url === null ? null : await fetchDocument(ctx, url)
  } catch (error) {
    if (
      !(
        error instanceof PlatformError ||
        error instanceof FetchRefusal ||
        error instanceof SyntaxError
      )
    )
      throw error
    ctx.log.warn(
      { organization_id: ctx.organizationId, meta_flow_id: flow.id, reason: error.name },
      'Flow JSON not fetched',
    )
    return null
  }
}

/** Sends no credentials: the URL of the file store is signed. */
async function fetchDocument(ctx: Ctx, url: string): Promise<DefinitionColumns> {
  const answer = await ctx.fetchGuarded(url, {
    maxBytes: MAX_JSON_BYTES,
    totalTimeoutMs: FETCH_TIMEOUT_MS,
    maxRedirects: 2,
  })
  const pieces: Uint8Array[] = []
  for await (const piece of answer.bytes) pieces.push(piece)
  const document: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'))
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new SyntaxError('not a JSON object')
  const printed = JSON.stringify(document, null, 2)
  // Indented, a list of short values can have many times as many bytes.
  return definitionColumns(printed.length > MAX_JSON_BYTES ? JSON.stringify(document) : printed)
}
