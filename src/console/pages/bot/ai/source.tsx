import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { AiContext, AiQuestion } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { useDraft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { Upload } from '../../../parts/upload'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { AskSource } from './ask-source'
import { QuestionNote, useAnswered } from './questions'
import { DocumentPart, DOCUMENTS, uploadDocument } from './document'
import { SourceFields } from './source-fields'
import {
  answerTo,
  EMPTY_SOURCE,
  kindOf,
  sourceBodyOf,
  sourceFormOf,
  SOURCE_MERGE,
  type Kind,
} from './source-form'
import { useDeleteSource, useKeepSource } from './source-verbs'

const NEW = 'new'
const KINDS = ['text', 'page', 'document'] as const

/** A source of knowledge that is changed, or a new one. */
export function Source() {
  const { sourceId } = useParams({ from: '/bot/ai/$sourceId' })
  const mayCreate = useCan('chatbot:read', 'chatbot:create')
  const { question } = useSearch({ from: '/bot/ai/$sourceId' })
  if (sourceId !== NEW) return <Found key={sourceId} id={sourceId} />
  if (mayCreate) return question === undefined ? <NewSource /> : <Answer id={question} />
  return (
    <Page title={t('bot.ai.add')}>
      <Guarded needs={['chatbot:read', 'chatbot:create']}>{null}</Guarded>
    </Page>
  )
}

/** A new text that answers a question of customers. */
function Answer({ id }: { id: string }) {
  const result = useApi('GET /api/chatbot/ai-questions/{id}', { params: { id } })
  if (result.data) return <NewSource key={id} question={result.data} />
  return (
    <Page title={t('bot.ai.add')}>
      <Loaded result={result}>{() => null}</Loaded>
    </Page>
  )
}

function Found({ id }: { id: string }) {
  const mayRead = useCan('chatbot:read')
  const result = useApi('GET /api/chatbot/ai-contexts/{id}', { params: { id } }, mayRead)
  const mayChange = useCan('chatbot:update')
  const { data: source } = result
  if (mayRead && source)
    return mayChange ? (
      <Change source={source} />
    ) : (
      <Page title={source.name}>
        <p className="pre-line" dir="auto">
          {source.content ?? source.api_config?.url ?? source.document?.filename}
        </p>
      </Page>
    )
  return (
    <Page title={t('bot.ai.knowledge')}>
      <Guarded needs="chatbot:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}

function Change({ source }: { source: AiContext }) {
  const navigate = useNavigate()
  const mayDelete = useCan('chatbot:delete')
  const draft = useDraft(sourceFormOf(source))
  const keep = useKeepSource()
  const kind = kindOf(source)
  const remove = useDeleteSource(() => {
    navigate({ to: '/bot/ai', search: {}, ignoreBlocker: true }).catch(report)
  })
  return (
    <EditPage
      title={source.name}
      draft={draft}
      merge={SOURCE_MERGE}
      actions={
        mayDelete && (
          <Button
            icon="trash"
            onPress={() => {
              remove.ask(source)
            }}
          >
            {t('bot.ai.delete')}
          </Button>
        )
      }
      onSave={async (changes, seen) => {
        const params = { id: source.id }
        const body = sourceBodyOf(changes, { ...seen, ...changes }, kind)
        await keep(
          await call('PUT /api/chatbot/ai-contexts/{id}', { params, body, ifMatch: seen.at }),
        )
      }}
    >
      {kind === 'document' && <DocumentPart source={source} />}
      <SourceFields draft={draft} kind={kind} />
      <AskSource id={source.id} />
      {remove.window}
    </EditPage>
  )
}

/** A new text or page; a document is taken at once, and named after its file. */
function NewSource({ question }: { question?: AiQuestion }) {
  const navigate = useNavigate()
  const mayChange = useCan('chatbot:update')
  const draft = useDraft(question ? answerTo(question) : EMPTY_SOURCE)
  const answered = useAnswered()
  const keep = useKeepSource()
  const [kind, setKind] = useState<Kind>('text')
  const [file, setFile] = useState<File | null>(null)
  // made already when its document is sent again
  const made = useRef<AiContext | null>(null)
  const save = async (): Promise<void> => {
    const { at: _at, ...whole } = draft.value
    const body = {
      ...sourceBodyOf(whole, draft.value, kind),
      name: whole.name,
      context_type: kind === 'page' ? ('api' as const) : ('static' as const),
    }
    const source = made.current ?? (await callOnce('POST /api/chatbot/ai-contexts', { body }))
    made.current = source
    await keep(source)
    if (question) answered(question)
    if (kind === 'document' && file) await keep(await uploadDocument(source.id, file))
    await navigate({
      to: '/bot/ai/$sourceId',
      params: { sourceId: source.id },
      ignoreBlocker: true,
    })
  }
  return (
    <EditPage title={t('bot.ai.add')} isNew draft={draft} onSave={save}>
      {question && <QuestionNote question={question} />}
      <Section title={t('bot.ai.from')}>
        <div className="form">
          <Select
            label={t('bot.ai.from-kind')}
            choices={KINDS.filter((id) => id !== 'document' || mayChange).map((id) => ({
              id,
              label: t(`bot.ai.kind.${id}`),
              hint: t(`bot.ai.kind-hint.${id}`),
            }))}
            value={kind}
            onChange={setKind}
          />
          {kind === 'document' && (
            <>
              <Upload
                label={t('bot.ai.document')}
                hint={t('bot.ai.document-hint')}
                {...DOCUMENTS}
                onFile={(chosen) => {
                  setFile(chosen)
                  if (draft.value.name === '') draft.set({ name: chosen.name.slice(0, 255) })
                }}
              />
              {file && <p dir="auto">{file.name}</p>}
            </>
          )}
        </div>
      </Section>
      <SourceFields draft={draft} kind={kind} />
    </EditPage>
  )
}
