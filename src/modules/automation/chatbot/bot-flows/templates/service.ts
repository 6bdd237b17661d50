import type { Ctx } from '../../../../../infra/ctx'
import { createBotFlow } from '../create'
import type { BotFlowView } from '../model'
import { GRAPHS, type TemplateKey } from './graphs'
import type { FlowTemplate, FromTemplate } from './model'
import { TEXTS, type TemplateLanguage } from './texts'

const KEYS = Object.keys(GRAPHS) as TemplateKey[]
const LANGUAGES = Object.keys(TEXTS) as TemplateLanguage[]

/** Returns the flows to start from, with the English texts. */
export const listFlowTemplates = (): { items: FlowTemplate[] } => ({
  items: KEYS.map((key) => {
    const { name, description } = TEXTS.en[key]
    return {
      key,
      name,
      description,
      languages: LANGUAGES,
      graph: { ...GRAPHS[key](TEXTS.en) },
    }
  }),
})

/**
 * Creates a bot flow from a template, disabled, its graph as a draft. Throws the errors of {@link
 * createBotFlow}.
 */
export function createFromTemplate(ctx: Ctx, input: FromTemplate): Promise<BotFlowView> {
  const texts = TEXTS[input.language ?? 'en']
  const { description, keywords } = texts[input.template_key]
  return createBotFlow(ctx, {
    name: input.name,
    description,
    account_id: input.account_id ?? null,
    trigger_keywords: keywords,
    cancel_keywords: texts.shared.cancelKeywords,
    cancel_message: texts.shared.cancelMessage,
    timeout_message: texts.shared.timeoutMessage,
    graph: { ...GRAPHS[input.template_key](texts) },
  })
}
