import { Link, useParams } from '@tanstack/react-router'

import type { BotSessionDetails } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { nameOf } from '../../../parts/contact/name'
import { FoundName } from '../../../parts/found-select'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { PhoneBubble } from '../../../parts/phone/preview'
import { formatDateTime, formatTime } from '../../../texts/format'
import { formatSeconds } from '../../../texts/points'
import { t } from '../../../texts/texts'
import { FactList } from '../fact-list'
import { useCancel } from './cancel'
import { SessionState } from './sessions'
import {
  endOf,
  entriesOf,
  shownMessage,
  stepInWords,
  stepName,
  targetOf,
  whereOf,
  type Step,
} from './words'

/** One conversation of a customer with the bot. */
export function Session() {
  const { sessionId: id } = useParams({ from: '/bot/sessions/$sessionId' })
  const mayRead = useCan('chatbot:read')
  const result = useApi('GET /api/chatbot/sessions/{id}', { params: { id } }, mayRead)
  if (mayRead && result.data) return <Shown key={id} session={result.data} />
  return (
    <Page title={t('shell.bot.sessions')}>
      <Guarded needs="chatbot:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}

function Shown({ session }: { session: BotSessionDetails }) {
  const { contact, flow, status } = session
  const mayCancel = useCan('chatbot:delete')
  const cancel = useCancel()
  return (
    <Page
      title={nameOf(contact)}
      hint={flow?.name ?? t('bot.sessions.no-flow')}
      actions={
        <div className="chips">
          <SessionState status={status} />
          <Link
            className="button plain"
            to="/contacts/$contactId"
            params={{ contactId: contact.id }}
          >
            {t('bot.sessions.contact')}
          </Link>
          {mayCancel && status === 'active' && (
            <Button
              icon="stop"
              onPress={() => {
                cancel.ask(session)
              }}
            >
              {t('bot.sessions.cancel')}
            </Button>
          )}
        </div>
      }
    >
      <div className="session-page">
        <Conversation session={session} />
        <Facts session={session} />
      </div>
      {cancel.window}
    </Page>
  )
}

/** What both wrote, and what the bot did between it. */
function Conversation({ session }: { session: BotSessionDetails }) {
  const entries = entriesOf(session)
  if (entries.length === 0) return <p className="muted">{t('bot.sessions.nothing')}</p>
  return (
    <ol className="session-wall phone" aria-label={t('bot.sessions.conversation')}>
      {entries.map((entry) =>
        'step' in entry ? (
          <li key={`step ${entry.step.seq}`} className="session-step">
            <StepLine step={entry.step} />
          </li>
        ) : (
          <li key={entry.message.id}>
            <span className="visually-hidden">
              {t(entry.message.direction === 'incoming' ? 'bot.sessions.customer' : 'bot.title')}
            </span>
            <PhoneBubble
              message={shownMessage(entry.message)}
              isOwn={entry.message.direction === 'incoming'}
              time={formatTime(entry.message.timestamp)}
            />
          </li>
        ),
      )}
    </ol>
  )
}

/** What the bot did in one step. */
function StepLine({ step }: { step: Step }) {
  const target = targetOf(step)
  const { stage, node_id: node, node_type: type, error, duration_ms: tookMs } = step
  return (
    <>
      <b>{t(`bot.stage.${stage}`)}</b>
      {node !== null && (
        <>
          {' '}
          · <bdi>{stepName(node, type, step.node_label)}</bdi>
        </>
      )}{' '}
      · {stepInWords(step)}
      {target?.kind === 'rule' && (
        <>
          {' '}
          <Link to="/bot/rules/$ruleId" params={{ ruleId: target.id }}>
            <FoundName kind="rule" id={target.id} />
          </Link>
        </>
      )}
      {target?.kind === 'flow' && (
        <>
          {' '}
          <FoundName kind="botFlow" id={target.id} />
        </>
      )}
      {tookMs !== null && tookMs > SLOW_MS && <> · {formatSeconds(tookMs / 1_000)}</>}
      {error !== null && (
        <span className="danger-text" dir="auto">
          {' '}
          {error}
        </span>
      )}
    </>
  )
}

/** Steps that take longer say so, milliseconds. */
const SLOW_MS = 1_000

/** Returns the value of a variable in words. */
const valueInWords = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** When it was, where it stands, and what the customer told. */
function Facts({ session }: { session: BotSessionDetails }) {
  const { started_at: since, ended_at: ended } = session
  const variables = Object.entries(session.variables)
  return (
    <div>
      <Section title={t('bot.sessions.about')}>
        <FactList
          facts={[
            { id: 'where', name: t('bot.sessions.where'), value: whereOf(session) },
            { id: 'since', name: t('bot.sessions.since'), value: formatDateTime(since) },
            {
              id: 'ended',
              name: t('bot.sessions.ended'),
              value: ended === null ? null : formatDateTime(ended),
            },
            { id: 'why', name: t('bot.sessions.why'), value: endOf(session) },
          ]}
        />
      </Section>
      {variables.length > 0 && (
        <Section title={t('bot.sessions.told')}>
          <FactList
            facts={variables.map(([name, value]) => ({
              ...{ id: name, name },
              value: valueInWords(value),
            }))}
          />
        </Section>
      )}
    </div>
  )
}
