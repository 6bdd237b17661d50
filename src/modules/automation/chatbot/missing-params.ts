import type { Ctx } from '../../../infra/ctx'
import { previewTemplate } from '../../channel/templates/preview'

/**
 * Returns what the parameters of a template lack, so that it will not be sent, as a rule; `null` if
 * nothing. Throws NotFoundError.
 */
export function missingParams(
  ctx: Ctx,
  templateId: string,
  params: Record<string, unknown> | undefined,
): string | null {
  const { missing } = previewTemplate(ctx, templateId, { template_params: params ?? {} })
  return missing.length === 0
    ? null
    : `lacks what the template needs, so it is not sent: ${missing.join(', ')}`
}
