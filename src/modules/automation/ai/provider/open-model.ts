import type { GuardedFetchOptions } from './guarded-provider-fetch'
import { guardedProviderFetch } from './guarded-provider-fetch'
import type { Ctx } from '../../../../infra/ctx'
import type { ProviderTarget } from '../usage/breaker'

/**
 * Returns the client for a model. The libraries are loaded with the first call: most installations
 * use none or one of them. They send the key in a header only. Addresses and keys are always given,
 * because the libraries would read them from the environment otherwise.
 */
export async function openModel(
  ctx: Pick<Ctx, 'fetchGuarded' | 'settings'>,
  { provider, baseUrl, model, apiKey }: ProviderTarget & { apiKey: string },
  limits: GuardedFetchOptions,
) {
  const { aiUrls } = ctx.settings
  const options = { apiKey, fetch: guardedProviderFetch(ctx, limits) as typeof fetch }
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ ...options, baseURL: aiUrls.anthropic })(model)
  }
  if (provider === 'google') {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle({ ...options, baseURL: aiUrls.google })(model)
  }
  const { createOpenAI } = await import('@ai-sdk/openai')
  return createOpenAI({ ...options, baseURL: baseUrl ?? aiUrls.openai }).chat(model)
}
