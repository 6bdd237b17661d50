import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { ApiError } from '../../api/error'
import type { ChatbotSettings } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Switch } from '../../parts/choice'
import { Confirm } from '../../parts/dialog'
import { Icon } from '../../parts/icons'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { missingIn } from './checklist'
import { nowInWords } from './sentence'
import { useSaveSettings } from './settings-form'

interface Props {
  settings: ChatbotSettings
}

/** The switch of the bot. It takes effect at once, but asks first if nothing leads to a person. */
function OnOff({ settings }: Props) {
  const save = useSaveSettings(settings.account_id ?? undefined)
  const [isAsked, setAsked] = useState(false)
  const turn = (isOn: boolean, isAcknowledged = false): void => {
    const body = {
      chatbot_enabled: isOn,
      ...(isAcknowledged ? { acknowledge_no_human_path: true } : {}),
    }
    save(body)
      .then(() => {
        notify(t(isOn ? 'bot.switched-on' : 'bot.switched-off'), () => {
          save({ chatbot_enabled: !isOn }).catch(report)
        })
      })
      .catch((problem: unknown) => {
        if (problem instanceof ApiError && problem.code === 'human_path_missing') setAsked(true)
        else report(problem)
      })
  }
  return (
    <>
      <Switch isSelected={settings.chatbot_enabled} onChange={turn}>
        {t('bot.switch')}
      </Switch>
      <Confirm
        isOpen={isAsked}
        title={t('bot.no-person.title')}
        text={t('bot.no-person.hint')}
        action={t('bot.no-person.action')}
        onClose={() => {
          setAsked(false)
        }}
        onConfirm={() => {
          turn(true, true)
        }}
      />
    </>
  )
}

/** What the bot does now, in a sentence, with its switch. */
export function BotNow({ settings }: Props) {
  const mayChange = useCan('chatbot:update')
  const differing = settings.numbers_with_own_settings.length
  return (
    <div className={settings.chatbot_enabled ? 'bot-now on' : 'bot-now'}>
      <span className="bot-now-icon">
        <Icon name="chatbot" size={28} />
      </span>
      <p className="grow" role="status" dir="auto">
        {nowInWords(settings)}
        {differing > 0 && <> {t('bot.now.numbers', { count: differing })}</>}
      </p>
      {mayChange && <OnOff settings={settings} />}
    </div>
  )
}

/** What the bot lacks, each with the place where it is mended. */
export function Checklist({ settings }: Props) {
  const mayReadNumbers = useCan('accounts:read')
  const accounts = useApi('GET /api/accounts', { query: { limit: 1 } }, mayReadNumbers).data
  const missing = missingIn(settings, {
    hasNumber: accounts === undefined || accounts.items.length > 0,
    knowledge: settings.stats.ai_contexts_count,
  })
  // a number has settings of its own for the AI
  const number = (to: string): { number?: string } =>
    to === '/bot/ai' && settings.account_id !== null ? { number: settings.account_id } : {}
  if (missing.length === 0)
    return (
      <p className="bot-complete">
        <Icon name="check" size={18} />
        {t('bot.missing.none')}
      </p>
    )
  return (
    <section className="section" aria-label={t('bot.missing.title')}>
      <h2>{t('bot.missing.title')}</h2>
      <ul className="item-list steps">
        {missing.map(({ id, text, ways }) => (
          <li key={id} className="item">
            <span className="step-mark" />
            <p className="grow">{t(text)}</p>
            <span className="actions">
              {ways.map(({ to, part, name = 'bot.missing.mend' }) =>
                part === undefined ? (
                  <Link key={to} className="button plain" to={to} search={number(to)}>
                    {t(name)}
                  </Link>
                ) : (
                  <a key={to} className="button plain" href={`#${part}`}>
                    {t(name)}
                  </a>
                ),
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
