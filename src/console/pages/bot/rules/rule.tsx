import { useNavigate, useParams } from '@tanstack/react-router'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { KeywordRule } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { PhonePreview } from '../../../parts/phone/preview'
import { report } from '../../../parts/toast'
import { formatDateTime, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { shownAnswer } from './answer'
import { Answer } from './answer-part'
import { bodyOf, EMPTY_RULE, formOf, MERGE, type RuleForm } from './form'
import { Warnings } from './overlaps'
import { useDelete, useKeepRule } from './verbs'
import { When } from './when-part'
import { Words } from './words-part'

const NEW = 'new'

/** A rule that is changed, or a new one. */
export function Rule() {
  const { ruleId } = useParams({ from: '/bot/rules/$ruleId' })
  const mayCreate = useCan('chatbot:read', 'chatbot:create')
  if (ruleId !== NEW) return <Found key={ruleId} id={ruleId} />
  return mayCreate ? (
    <NewRule />
  ) : (
    <Page title={t('bot.rules.add')}>
      <Guarded needs={['chatbot:read', 'chatbot:create']}>{null}</Guarded>
    </Page>
  )
}

function Found({ id }: { id: string }) {
  const result = useApi(
    'GET /api/chatbot/keywords/{id}',
    { params: { id } },
    useCan('chatbot:read'),
  )
  const mayChange = useCan('chatbot:update')
  const { data: rule } = result
  if (rule) return mayChange ? <Change rule={rule} /> : <Read rule={rule} />
  return (
    <Page title={t('shell.bot.rules')}>
      <Guarded needs="chatbot:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}

/** What the form has: the words, the answer with its picture, the order. */
function Fields({ draft }: { draft: Draft<RuleForm> }) {
  const { content, response, response_type: kind } = draft.value
  const shown = shownAnswer({
    response_type: kind,
    response,
    response_content: { ...content },
  })
  return (
    <div className="rule-page">
      <div>
        <Words draft={draft} />
        <Answer draft={draft} />
        <When draft={draft} />
      </div>
      <div className="rule-side">
        {shown && <PhonePreview label={t('bot.rules.preview')} message={shown} />}
      </div>
    </div>
  )
}

function NewRule() {
  const navigate = useNavigate()
  const draft = useDraft(EMPTY_RULE)
  const keep = useKeepRule()
  return (
    <EditPage
      title={t('bot.rules.add')}
      hint={t('bot.rules.empty-hint')}
      isWide
      isNew
      draft={draft}
      onSave={async () => {
        const { keywords, ...rest } = draft.value
        const body = { ...bodyOf(rest, draft.value), keywords }
        const made = await callOnce('POST /api/chatbot/keywords', { body })
        await keep(made)
        await navigate({
          to: '/bot/rules/$ruleId',
          params: { ruleId: made.id },
          ignoreBlocker: true,
        })
      }}
    >
      <Fields draft={draft} />
    </EditPage>
  )
}

/** How often a rule answered. */
const hintOf = ({ hit_count: count, last_hit_at: at }: KeywordRule): string =>
  at === null
    ? t('bot.rules.no-hits')
    : t('bot.rules.hits-hint', { count: formatNumber(count), time: formatDateTime(at) })

function Change({ rule }: { rule: KeywordRule }) {
  const navigate = useNavigate()
  const mayDelete = useCan('chatbot:delete')
  const draft = useDraft(formOf(rule))
  const keep = useKeepRule()
  const remove = useDelete()
  return (
    <EditPage
      title={rule.name}
      hint={hintOf(rule)}
      isWide
      draft={draft}
      merge={MERGE}
      actions={
        mayDelete && (
          <Button
            icon="trash"
            onPress={() => {
              remove(rule)
                .then(() => navigate({ to: '/bot/rules', search: {}, ignoreBlocker: true }))
                .catch(report)
            }}
          >
            {t('bot.rules.delete')}
          </Button>
        )
      }
      onSave={async (changes, seen) => {
        const params = { id: rule.id }
        const body = bodyOf(changes, { ...seen, ...changes })
        await keep(await call('PUT /api/chatbot/keywords/{id}', { params, body, ifMatch: seen.at }))
      }}
    >
      <Warnings rule={rule} />
      <Fields draft={draft} />
    </EditPage>
  )
}

/** A rule for those who only read. */
function Read({ rule }: { rule: KeywordRule }) {
  const shown = shownAnswer(rule)
  return (
    <Page title={rule.name} hint={hintOf(rule)}>
      <Warnings rule={rule} />
      <Section title={t('bot.rules.when')}>
        <p dir="auto">{rule.keywords.join(', ')}</p>
      </Section>
      {shown && <PhonePreview label={t('bot.rules.preview')} message={shown} />}
    </Page>
  )
}
