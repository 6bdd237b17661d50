import { isObject } from './rules'
import { seconds, type World } from './world'
import { type StoredTemplate } from './template-store'
import { upper } from './template-rules'

/**
 * Returns a template as the platform reports it: samples as changing URLs, one-time code texts in
 * its own words.
 */
export function reportTemplate(
  world: World,
  template: StoredTemplate,
  fields: readonly string[],
): Record<string, unknown> {
  const facts: Record<string, unknown> = {
    id: template.id,
    name: template.name,
    status: template.status,
    category: template.category,
    language: template.language,
    components: template.components.map((component) =>
      reportComponent(world, component, template.category),
    ),
    quality_score: { score: template.quality, date: seconds(world) },
    rejected_reason: template.reason,
    parameter_format: template.parameterFormat,
    ...(template.previousCategory === undefined
      ? {}
      : { previous_category: template.previousCategory }),
  }
  return Object.fromEntries(
    Object.entries(facts).filter(([name]) => name === 'id' || fields.includes(name)),
  )
}

function reportComponent(
  world: World,
  component: Record<string, unknown>,
  category: string,
): Record<string, unknown> {
  const type = upper(component['type'])
  const { example, cards, buttons } = component
  if (type === 'HEADER' && isObject(example) && example['header_handle'] !== undefined) {
    const address = `https://scontent.simulated.example/${world.templateStore.nextAddress()}.jpg`
    return {
      ...component,
      type,
      format: upper(component['format']),
      example: { header_handle: [address] },
    }
  }
  if (type === 'CAROUSEL' && Array.isArray(cards)) {
    const reportedCards = cards.filter(isObject).map((card) => ({
      components: (card['components'] as Record<string, unknown>[]).map((part) =>
        reportComponent(world, part, ''),
      ),
    }))
    return { type, cards: reportedCards }
  }
  if (category !== 'AUTHENTICATION') return { ...component, type }
  if (type === 'BODY') {
    const warning =
      component['add_security_recommendation'] === true
        ? ' For your security, do not share this code.'
        : ''
    return {
      ...component,
      type,
      text: `*{{1}}* is your verification code.${warning}`,
      example: { body_text: [['123456']] },
    }
  }
  if (type === 'FOOTER')
    return {
      ...component,
      type,
      text: `This code expires in ${String(component['code_expiration_minutes'])} minutes.`,
    }
  if (type !== 'BUTTONS' || !Array.isArray(buttons)) return { ...component, type }
  const otp = buttons.filter(isObject).map((button) => {
    const url = `https://www.whatsapp.com/otp/code/?otp_type=${upper(button['otp_type'])}&code=otp{{1}}`
    const { otp_type: _type, ...rest } = button
    return {
      ...rest,
      type: 'URL',
      text: button['text'] ?? 'Copy code',
      url,
      example: [`${url.slice(0, -5)}123456`],
    }
  })
  return { type, buttons: otp }
}
