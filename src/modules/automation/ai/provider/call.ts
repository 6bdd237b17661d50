import { SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Prompt } from '../prompt/build'
import type { ProviderTarget } from '../usage/breaker'
import type { ProviderFailure } from '../model'
import { failureOf, isRetryable } from './failure'
import { openModel } from './open-model'

const RETRY_AFTER_MS = SECOND_MS

/** A request to a model. */
export interface ProviderRequest extends ProviderTarget {
  apiKey: string
  prompt: Prompt
  temperature: number
  maxTokens: number
  timeoutMs: number
}

/** What a provider returned. */
export type ProviderAnswer =
  | { kind: 'answered'; text: string; inputTokens: number; outputTokens: number }
  | { kind: 'failed'; failure: ProviderFailure }

/**
 * Asks a model. After a 429 or a failure of the server it asks once more a second later, if the
 * time limit allows. Never throws for a failure of the provider.
 */
export async function askModel(
  ctx: Ctx,
  request: ProviderRequest,
  signal?: AbortSignal,
): Promise<ProviderAnswer> {
  const startedMs = performance.now()
  const leftMs = (): number => Math.ceil(request.timeoutMs - (performance.now() - startedMs))
  const first = await attempt(ctx, request, { timeoutMs: request.timeoutMs, signal })
  if (first.kind === 'answered' || !isRetryable(first.failure)) return first
  if (leftMs() <= RETRY_AFTER_MS) return first
  await pause(ctx, signal)
  return signal?.aborted === true
    ? first
    : await attempt(ctx, request, { timeoutMs: Math.max(1, leftMs()), signal })
}

const pause = (ctx: Pick<Ctx, 'clock'>, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const stopTimer = ctx.clock.after(RETRY_AFTER_MS, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = (): void => {
      stopTimer()
      resolve()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })

async function attempt(
  ctx: Ctx,
  request: ProviderRequest,
  limits: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<ProviderAnswer> {
  const { prompt, temperature, maxTokens } = request
  try {
    const model = await openModel(ctx, request, limits)
    const { content, usage } = await model.doGenerate({
      prompt: [
        { role: 'system', content: prompt.system },
        { role: 'user', content: [{ type: 'text', text: prompt.user }] },
      ],
      temperature,
      maxOutputTokens: maxTokens,
      ...(isOpenAi(request) ? { providerOptions: { openai: { store: false } } } : {}),
    })
    return {
      kind: 'answered',
      text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      inputTokens: usage.inputTokens.total ?? 0,
      outputTokens: usage.outputTokens.total ?? 0,
    }
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) }
  }
}

/** OpenAI alone has a switch against storing; other servers may refuse a field they do not know. */
const isOpenAi = ({ provider, baseUrl }: ProviderTarget): boolean =>
  provider === 'openai' && baseUrl === null
