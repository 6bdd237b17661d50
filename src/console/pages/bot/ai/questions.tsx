import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { AiQuestion } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Item, ItemList } from '../../../parts/item-list'
import { Loaded, Pager } from '../../../parts/loaded'
import { Section } from '../../../parts/page'
import { notify, report } from '../../../parts/toast'
import { formatShort } from '../../../texts/format'
import { t } from '../../../texts/texts'

const PAGE = 10

/** Marks a question as done or open. An event loads the list again. */
const mark = (id: string, isDone: boolean): Promise<AiQuestion> =>
  call('PUT /api/chatbot/ai-questions/{id}', { params: { id }, body: { is_done: isDone } })

function QuestionItem({ question }: { question: AiQuestion }) {
  const { id, text, times, last_asked_at: lastAt, is_done: isDone } = question
  const mayAnswer = useCan('chatbot:create')
  const mayChange = useCan('chatbot:update')
  const change = (): void => {
    mark(id, !isDone)
      .then(() => {
        if (!isDone)
          notify(t('bot.ai.questions.was-done'), () => {
            mark(id, false).catch(report)
          })
      })
      .catch(report)
  }
  return (
    <Item
      name={text}
      hint={t('bot.ai.questions.asked', { times, when: formatShort(lastAt) })}
      actions={
        <>
          {mayAnswer && !isDone && (
            <Link
              className="button plain"
              to="/bot/ai/$sourceId"
              params={{ sourceId: 'new' }}
              search={{ question: id }}
              aria-label={t('bot.ai.questions.answer-to', { question: text })}
            >
              {t('bot.ai.questions.answer')}
            </Link>
          )}
          {mayChange && (
            <Button
              look="quiet"
              icon={isDone ? 'refresh' : 'check'}
              aria-label={t(isDone ? 'bot.ai.questions.open-this' : 'bot.ai.questions.done-this', {
                question: text,
              })}
              onPress={change}
            >
              {t(isDone ? 'bot.ai.questions.open' : 'bot.ai.questions.done')}
            </Button>
          )}
        </>
      }
    />
  )
}

/** What customers asked and no knowledge is about, as a list to work through. */
export function Questions() {
  const [page, setPage] = useState(1)
  const [isDone, setDone] = useState(false)
  const query = { page, limit: PAGE, is_done: isDone }
  const result = useApi('GET /api/chatbot/ai-questions', { query }, useCan('chatbot:read'))
  const last = Math.max(1, result.data?.total_pages ?? page)
  // the last question of the last page is done
  if (page > last) setPage(last)
  return (
    <Section
      title={t('bot.ai.questions')}
      hint={t('bot.ai.questions-hint')}
      actions={
        <Button
          look="quiet"
          onPress={() => {
            setPage(1)
            setDone(!isDone)
          }}
        >
          {t(isDone ? 'bot.ai.questions.show-open' : 'bot.ai.questions.show-done')}
        </Button>
      }
    >
      <Loaded result={result}>
        {({ items, total_pages: pages }) => (
          <>
            {items.length === 0 ? (
              <p className="muted">
                {t(isDone ? 'bot.ai.questions.none-done' : 'bot.ai.questions.none')}
              </p>
            ) : (
              <ItemList label={t('bot.ai.questions')}>
                {items.map((question) => (
                  <QuestionItem key={question.id} question={question} />
                ))}
              </ItemList>
            )}
            <Pager page={page} pages={pages} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** The question that a new text answers. */
export const QuestionNote = ({ question: { text, times } }: { question: AiQuestion }) => (
  <div className="bot-of-number" role="note">
    <div className="grow">
      <p>
        <b dir="auto">{text}</b>
      </p>
      <p className="muted small">{t('bot.ai.questions.note', { times })}</p>
    </div>
  </div>
)

/** Marks a question as done that has an answer now, for those who may. */
export function useAnswered(): (question: AiQuestion) => void {
  const mayChange = useCan('chatbot:update')
  return ({ id }) => {
    if (mayChange) mark(id, true).catch(report)
  }
}
