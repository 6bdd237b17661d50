import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { KeywordRule, KeywordTestResult } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { NumberFilter } from '../../../parts/contact/record-filters'
import { ChoiceFilter, ListPage, useShow } from '../../../parts/list-page'
import { t } from '../../../texts/texts'
import { columns, KINDS } from './columns'
import { TestField } from './test'
import { useVerbs } from './verbs'

/** The rules of the bot, the one that wins first, and what a customer would get for a text. */
export function Rules() {
  const search = useSearch({ from: '/bot/rules' })
  const show = useShow<typeof search>()
  const mayCreate = useCan('chatbot:create')
  const [tried, setTried] = useState<KeywordTestResult | null>(null)
  const { menu, turn, place } = useVerbs()
  const { q, kind, account, on } = search
  return (
    <ListPage
      title={t('shell.bot.rules')}
      route="GET /api/chatbot/keywords"
      needs="chatbot:read"
      icon="bolt"
      find={t('bot.rules.search')}
      words={q}
      filter={{
        response_type: kind,
        account_id: account,
        enabled: on === undefined ? undefined : on === 'yes',
      }}
      columnsOf="bot-rules"
      columns={columns({ winner: tried?.winner?.id ?? null, turn })}
      nameOf={({ name }: KeywordRule) => name}
      onPlace={place}
      {...(menu ? { menu } : {})}
      actions={
        mayCreate && (
          <Link className="button primary" to="/bot/rules/$ruleId" params={{ ruleId: 'new' }}>
            {t('bot.rules.add')}
          </Link>
        )
      }
      above={<TestField onTried={setTried} />}
      filters={
        <>
          <ChoiceFilter
            label={t('bot.rules.kind')}
            any={t('bot.rules.any-kind')}
            value={kind}
            choices={KINDS.map((id) => ({ id, label: t(`bot.rules.kind.${id}`) }))}
            onChange={(id) => {
              show({ kind: id })
            }}
          />
          <ChoiceFilter
            label={t('bot.rules.state')}
            any={t('bot.rules.any-state')}
            value={on}
            choices={(['yes', 'no'] as const).map((id) => ({ id, label: t(`bot.rules.on.${id}`) }))}
            onChange={(id) => {
              show({ on: id })
            }}
          />
          <NumberFilter value={account} />
        </>
      }
      empty={t('bot.rules.empty')}
      emptyHint={t('bot.rules.empty-hint')}
    />
  )
}
