import { InvalidError, ConflictError, type FieldProblem } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { readDraft } from './draft'
import { requireUniqueName } from './insert-draft'
import { findMissingSamples } from './header-samples'
import type { TemplateCheck, TemplateCheckInput } from './model'
import { languageKeyOf } from './queries'

/** Stands for a name, which a template that is there already has. */
const NAMED = { name: 'x', language: 'en' } as const

/**
 * Returns everything for which WhatsApp would refuse a template, without storing it. With
 * `template_id`, its name, language and account are taken for granted.
 */
export function checkTemplate(ctx: Ctx, input: TemplateCheckInput): TemplateCheck {
  const { template_id: id, name, language, account_id: accountId } = input
  const naming =
    id !== undefined || accountId === undefined
      ? null
      : { name: name ?? NAMED.name, language: language ?? NAMED.language, accountId }
  const errors = problemsOf(() => {
    const draft = readDraft(
      ctx,
      {
        category: input.category,
        components: input.components,
        samples: input.sample_values ?? [],
        format: undefined,
        ttlS: input.message_send_ttl_seconds ?? null,
        maxPrice: null,
        creativeOptOut: null,
        headerMediaId: input.header_media_id ?? null,
      },
      naming,
    )
    const missing = findMissingSamples(draft.components, draft.headerMediaId)
      .filter(({ mediaId }) => mediaId === null)
      .map(({ path }) => ({ path: `body.${path}`, message: 'is required: upload a sample file' }))
    if (missing.length > 0) throw new InvalidError('', { errors: missing })
    if (draft.account && name !== undefined)
      requireUniqueName(ctx, {
        businessId: draft.account.businessId,
        name: draft.name,
        languageKey: languageKeyOf(draft.language),
      })
  })
  return { valid: errors.length === 0, errors }
}

function problemsOf(check: () => void): FieldProblem[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof InvalidError) return [...(error.errors ?? [])]
    if (error instanceof ConflictError)
      return [{ path: 'body.name', message: 'is taken by another template in this language' }]
    throw error
  }
}
