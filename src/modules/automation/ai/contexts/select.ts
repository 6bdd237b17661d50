import { hasWholeWords, normalText } from '../../../../lib/whole-words'
import type { Ctx } from '../../../../infra/ctx'
import { chunksOfRows, firstChunks } from '../chunks/store'
import { rankedChunks } from '../chunks/search-index'
import { mentions, questionQuery, topicOf } from '../chunks/words'
import { MAX_KNOWLEDGE } from '../prompt/limits'
import { SourceError, sourceText } from './fetch-source'
import { enabledContexts, type ContextCandidate } from './queries'
import { triggersOf } from './view'

/** Chunks that one question can find. */
const MAX_FOUND = 64

/** Chunks that fit into a prompt even if each is short. */
const MAX_FIRST = 64

/** A static context up to this length is in the prompt even if no word of the question is in it. */
const SHORT_TEXT = 4_000

/** The contexts that may help to answer a question. */
interface Chosen {
  /** With a trigger keyword in the question, highest priority first. */
  triggered: ContextCandidate[]
  /** Without trigger keywords, highest priority first. */
  always: ContextCandidate[]
}

/** Returns the contexts of a phone number that are candidates for a question. */
export function chooseContexts(ctx: Ctx, accountId: string | null, question: string): Chosen {
  const text = normalText(question)
  const usable = enabledContexts(ctx, accountId).filter(
    ({ type, documentState, characters }) =>
      type === 'api' ||
      (documentState !== 'reading' && documentState !== 'failed' && characters > 0),
  )
  return {
    triggered: usable.filter((one) => triggersOf(one).some((word) => hasWholeWords(text, word))),
    always: usable.filter(({ triggerKeywords }) => triggerKeywords === '[]'),
  }
}

/** Returns the most bytes of knowledge that a prompt made of these contexts can have. */
export function maxKnowledgeBytes({ triggered, always }: Chosen): number {
  const bytes = [...triggered, ...always].map(({ type, textBytes }) =>
    type === 'api' ? MAX_KNOWLEDGE * BYTES_PER_CHARACTER : textBytes,
  )
  return Math.min(
    MAX_KNOWLEDGE * BYTES_PER_CHARACTER,
    bytes.reduce((sum, each) => sum + each, 0),
  )
}

/** Most bytes of UTF-8 for a UTF-16 code unit. */
const BYTES_PER_CHARACTER = 3

/** Texts for a prompt, at most 12,000 characters together. */
class Knowledge {
  readonly texts: string[] = []
  private left = MAX_KNOWLEDGE
  private readonly known = new Set<string>()

  get isFull(): boolean {
    return this.left <= 0
  }

  add(text: string): void {
    const part = text.slice(0, this.left).trim()
    if (part === '' || this.known.has(part)) return
    this.known.add(part)
    this.texts.push(part)
    this.left -= part.length
  }
}

/** What the contexts contribute to an answer. */
interface Gathered {
  texts: string[]
  /**
   * Whether none of it is about the question: no trigger keyword is in it, and none of its words in
   * the texts. `false` for a question without such words, as a greeting is.
   */
  isOffTarget: boolean
}

/**
 * Returns the knowledge for a question (`automation` 6.1): contexts with a trigger keyword in it,
 * API contexts, the parts of static contexts that match it, best first, and short static contexts.
 * An API that fails is left out and logged.
 */
export async function gatherKnowledge(
  ctx: Ctx,
  accountId: string | null,
  question: string,
): Promise<Gathered> {
  const { triggered, always } = chooseContexts(ctx, accountId, question)
  const sources = [...triggered, ...always].filter(({ type }) => type === 'api')
  const answers = new Map(
    await Promise.all(sources.map(async (one) => [one.id, await textOrNull(ctx, one)] as const)),
  )
  const knowledge = new Knowledge()
  const fill = (contexts: ContextCandidate[]): void => {
    for (const one of contexts)
      if (one.type === 'api') knowledge.add(answers.get(one.id) ?? '')
      else if (!knowledge.isFull)
        for (const text of textsOf(ctx, one, question)) knowledge.add(text)
  }
  fill(triggered)
  const isTriggered = knowledge.texts.length > 0
  fill(always.filter(({ type }) => type === 'api'))
  const others = always.filter(({ type }) => type === 'static')
  for (const text of matchingChunks(ctx, others, question)) knowledge.add(text)
  fill(others.filter(({ characters }) => characters <= SHORT_TEXT))
  const topic = topicOf(question)
  const isOffTarget =
    topic.length > 0 && !isTriggered && !knowledge.texts.some((text) => mentions(text, topic))
  return { texts: knowledge.texts, isOffTarget }
}

/** Returns the parts of a static context: all of a short one, else those that match, then the first. */
const textsOf = (ctx: Ctx, context: ContextCandidate, question: string): string[] => [
  ...(context.characters > SHORT_TEXT ? matchingChunks(ctx, [context], question) : []),
  ...firstChunks(ctx, context.id, MAX_FIRST),
]

/** Returns the parts of static contexts that contain words of a question, best first. */
export function matchingChunks(
  ctx: Ctx,
  contexts: Pick<ContextCandidate, 'id'>[],
  question: string,
): string[] {
  const query = questionQuery(question)
  if (query === null || contexts.length === 0) return []
  const rows = rankedChunks(ctx.db, {
    query,
    contextIds: contexts.map(({ id }) => id),
    limit: MAX_FOUND,
  })
  const texts = new Map(chunksOfRows(ctx, rows).map(({ row, text }) => [row, text]))
  return rows.flatMap((row) => texts.get(row) ?? [])
}

async function textOrNull(ctx: Ctx, context: ContextCandidate): Promise<string | null> {
  try {
    return await sourceText(ctx, context)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    ctx.log.warn(
      { organization_id: ctx.organizationId, ai_context_id: context.id, reason: error.message },
      'an AI context could not be fetched',
    )
    return null
  }
}
