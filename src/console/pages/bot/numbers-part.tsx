import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { ChatbotSettings } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { FoundName, FoundSelect } from '../../parts/found-select'
import { Item, ItemList } from '../../parts/item-list'
import { Section } from '../../parts/page'
import { notify, report } from '../../parts/toast'
import { formatList } from '../../texts/format'
import { t } from '../../texts/texts'
import { useRefreshSettings, wordOf } from './settings-form'

/** The phone numbers that differ from the organization, and the way to let another one differ. */
export function OwnNumbers({ numbers }: { numbers: readonly string[] }) {
  const mayRead = useCan('accounts:read')
  const mayChange = useCan('chatbot:update')
  const navigate = useNavigate()
  return (
    <Section title={t('bot.numbers.title')} hint={t('bot.numbers.hint')}>
      <ItemList label={t('bot.numbers.title')}>
        {numbers.map((number) => (
          <Item
            key={number}
            name={number}
            link={
              <Link to="/bot" search={{ number }}>
                <FoundName kind="account" id={number} />
              </Link>
            }
          />
        ))}
      </ItemList>
      {numbers.length === 0 && <p className="muted">{t('bot.numbers.none')}</p>}
      {mayRead && mayChange && (
        <div className="form bot-numbers-add">
          <FoundSelect
            kind="account"
            label={t('bot.numbers.add')}
            isHiddenIfEmpty
            isChoice={({ id }) => !numbers.includes(id)}
            value={null}
            onChange={(number) => {
              navigate({ to: '/bot', search: { number } }).catch(report)
            }}
          />
        </div>
      )}
    </Section>
  )
}

/** Says whose settings these are: in which a phone number differs, and how it follows all again. */
export function OfNumber({
  settings,
  at = '/bot',
}: {
  settings: ChatbotSettings & { account_id: string }
  /** The page that shows them. */
  at?: '/bot' | '/bot/ai'
}) {
  const { account_id: id, overridden } = settings
  const mayChange = useCan('chatbot:update')
  const refresh = useRefreshSettings()
  const [isAsked, setAsked] = useState(false)
  const reset = async (): Promise<void> => {
    await call('DELETE /api/chatbot/settings', { query: { account_id: id } })
    await refresh()
    notify(t('bot.numbers.was-reset'))
  }
  return (
    <div className="bot-of-number" role="note">
      <div className="grow">
        <p>
          <b>
            <FoundName kind="account" id={id} />
          </b>{' '}
          <Link to={at} search={{}}>
            {t('bot.numbers.all')}
          </Link>
          {' · '}
          <Link to={at === '/bot' ? '/bot/ai' : '/bot'} search={{ number: id }}>
            {t(at === '/bot' ? 'shell.bot.ai' : 'shell.bot.overview')}
          </Link>
        </p>
        <p className="muted small">
          {overridden.length === 0
            ? t('bot.numbers.same')
            : t('bot.numbers.differs', { fields: formatList(overridden.map(wordOf)) })}
        </p>
      </div>
      {mayChange && overridden.length > 0 && (
        <Button
          onPress={() => {
            setAsked(true)
          }}
        >
          {t('bot.numbers.reset')}
        </Button>
      )}
      <Confirm
        isOpen={isAsked}
        title={t('bot.numbers.reset-title')}
        text={t('bot.numbers.reset-hint', { count: overridden.length })}
        action={t('bot.numbers.reset')}
        onClose={() => {
          setAsked(false)
        }}
        onConfirm={() => {
          reset().catch(report)
        }}
      />
    </div>
  )
}
