import { languageAmong } from '../../../../lib/by-language'
import { openingTime } from '../../../../lib/opening-time'
import { OUR_TEXTS, type OurTexts } from '../../chatbot-settings/our-texts'
import type { NewMessage } from '../../../inbox/messages/compose/model'
import { buttonsMessage } from './drafts'
import { renderText } from './render'
import { languagesOf } from './languages'
import type { Run } from './run'

/**
 * Returns a text of the settings as the customer gets it: the organization's own, else ours in the
 * language of the customer or the organization. In both, `opens_at` is the next opening; ours is also
 * sent in place of an own text that cannot be rendered.
 */
export function settingsText(run: Run, own: string | null, ours: keyof OurTexts): string {
  const { ports } = run
  const language = languageAmong(OUR_TEXTS, languagesOf(ports))
  const opensAtMs = ports.opensAtMs()
  const { timezone } = ports
  const extra = {
    opens_at: opensAtMs && openingTime(opensAtMs, { nowMs: ports.nowMs(), timezone, language }),
  }
  const text = OUR_TEXTS[language]?.[ours] ?? ''
  return renderText(run, own, extra) ?? renderText(run, text, extra) ?? text
}

/** Returns what the customer is told when the bot cannot go on: the fallback, or our words. */
export function failureMessage(run: Run): NewMessage {
  const { fallback_message: own, fallback_buttons: buttons } = run.ports.settings
  return buttonsMessage({
    body: settingsText(run, own, 'failed'),
    buttons:
      own === null
        ? []
        : buttons.map(({ id, title }) => ({ id, title: renderText(run, title) ?? title })),
  })
}
