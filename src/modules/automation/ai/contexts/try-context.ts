import type { Ctx } from '../../../../infra/ctx'
import { firstChunks } from '../chunks/store'
import { MAX_KNOWLEDGE } from '../prompt/limits'
import { fetchSource, SourceError } from './fetch-source'
import type { ContextTestView } from './model'
import { getContextRow } from './queries'
import { matchingChunks } from './select'
import type { ContextRow } from './view'

/** Parts of a context that a test shows. */
const MAX_SHOWN = 64

/**
 * Returns what a context contributes to the answer of a question. An API is called even if a cached
 * answer is fresh; a source that fails is a result. Throws NotFoundError.
 */
export async function tryContext(
  ctx: Ctx,
  id: string,
  question: string | undefined,
): Promise<ContextTestView> {
  const row = getContextRow(ctx, id)
  const startedMs = performance.now()
  const result = row.type === 'api' ? await trySource(ctx, row) : tryStatic(ctx, row, question)
  return { ...result, duration_ms: Math.round(performance.now() - startedMs) }
}

type Result = Omit<ContextTestView, 'duration_ms'>

async function trySource(ctx: Ctx, row: ContextRow): Promise<Result> {
  try {
    return { success: true, content: await fetchSource(ctx, row), chunks: [], error: null }
  } catch (error) {
    if (error instanceof SourceError) return failed(error.message)
    throw error
  }
}

function tryStatic(ctx: Ctx, row: ContextRow, question: string | undefined): Result {
  if (row.documentState === 'reading') return failed('The document is still being read.')
  if (row.documentState === 'failed') return failed(row.documentError ?? 'failed')
  const chunks = question === undefined ? [] : matchingChunks(ctx, [row], question)
  const texts = chunks.length > 0 ? chunks : firstChunks(ctx, row.id, MAX_SHOWN)
  const content = texts.join('\n').slice(0, MAX_KNOWLEDGE)
  return content === ''
    ? failed('The context has no text.')
    : { success: true, content, chunks, error: null }
}

const failed = (error: string): Result => ({ success: false, content: null, chunks: [], error })
