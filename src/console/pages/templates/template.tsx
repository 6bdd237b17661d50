import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf, useApi } from '../../live/query'
import { useDraft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { Guarded, Loaded } from '../../parts/loaded'
import { useMerged } from '../../parts/merge'
import { Page } from '../../parts/page'
import { titleOf } from '../../parts/template/title'
import { notify } from '../../parts/toast'
import { WorkButton } from '../../parts/work-button'
import { formatDate, formatLanguage } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'
import { reasonOf, State } from './columns'
import { changesOf, newTemplateOf } from './content'
import { Editor } from './editor'
import { EMPTY_FORM, type TemplateForm } from './form'
import { formOf } from './read-form'
import { MERGE } from './merge'
import { atFields, ProblemList, useProblems } from './problems'
import { Shown } from './shown'
import { TemplateMenu } from './template-menu'
import { Use } from './use'
import { Versions } from './versions'

/** The address of a template that is being written. */
const NEW = 'new'
/** States in which WhatsApp takes no changes. */
const CLOSED = new Set(['PENDING', 'IN_APPEAL', 'PENDING_DELETION', 'ARCHIVED'])

/** What a new template needs: it is for one of the numbers. */
const NEEDS_NEW = ['templates:read', 'templates:create', 'accounts:read'] as const

/** The page of a template, or of a new one. */
export function TemplatePage() {
  const { templateId } = useParams({ from: '/templates/$templateId' })
  return templateId === NEW ? <BeginTemplate /> : <FoundTemplate id={templateId} />
}

/** A template that there is, once it is loaded. */
function FoundTemplate({ id }: { id: string }) {
  const mayRead = useCan('templates:read')
  const result = useApi('GET /api/templates/{id}', { params: { id } }, mayRead)
  if (mayRead && result.data) return <TemplateForms key={id} template={result.data} />
  return (
    <Page title={t('templates.title')} isWide>
      <Guarded needs="templates:read">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}

/** A new template, which may begin like another one. */
function BeginTemplate() {
  const { like, language } = useSearch({ from: '/templates/$templateId' })
  const mayBegin = useCan(...NEEDS_NEW)
  const isLike = like !== undefined
  const other = useApi(
    'GET /api/templates/{id}',
    { params: { id: like ?? '' } },
    mayBegin && isLike,
  )
  const accounts = useApi('GET /api/accounts', { query: { limit: 50 } }, mayBegin)
  if (!accounts.data || (isLike && !other.data))
    return (
      <Page title={t('templates.new')} isWide>
        <Guarded needs={NEEDS_NEW}>
          <Loaded result={accounts}>{() => <Loaded result={other}>{() => null}</Loaded>}</Loaded>
        </Guarded>
      </Page>
    )
  const [first] = accounts.data.items
  const form = {
    ...(other.data ? formOf(other.data) : { ...EMPTY_FORM, accountId: first?.id ?? '' }),
    ...(language === undefined ? {} : { language }),
  }
  return <NewTemplate key={`${String(like)} ${String(language)}`} initial={form} />
}

/** A template that is being written. */
function NewTemplate({ initial }: { initial: TemplateForm }) {
  const navigate = useNavigate()
  const draft = useDraft(initial)
  const problems = useProblems(draft.value, null)
  return (
    <EditPage
      title={t('templates.new')}
      hint={t('templates.empty-hint')}
      draft={draft}
      problems={atFields(problems)}
      isNew
      isWide
      onSave={async () => {
        const made = await callOnce('POST /api/templates', { body: newTemplateOf(draft.value) })
        await navigate({
          to: '/templates/$templateId',
          params: { templateId: made.id },
          search: {},
          ignoreBlocker: true,
        })
      }}
    >
      <div className="template-columns-page">
        <div className="template-editor">
          <Editor draft={draft} template={null} />
        </div>
        <div className="template-side">
          <Shown form={draft.value} template={null} />
          <ProblemList {...problems} form={draft.value} />
        </div>
      </div>
    </EditPage>
  )
}

/** A template that there is: its text if it can be changed, and everything about it. */
function TemplateForms({ template }: { template: Template }) {
  const client = useQueryClient()
  const mayChange = useCan('templates:update')
  const draft = useDraft(formOf(template))
  const isClosed = CLOSED.has(template.status) || !mayChange
  const params = { id: template.id }
  const problems = useProblems(draft.value, template.id)
  const keep = (changed: Template): void => {
    client.setQueryData(keyOf('GET /api/templates/{id}', { params }), changed)
  }
  const save = async (changes: Partial<TemplateForm>, seen: TemplateForm): Promise<void> => {
    const body = changesOf(changes, seen)
    keep(await call('PUT /api/templates/{id}', { params, body, ifMatch: seen.updated_at }))
  }
  const merged = useMerged(MERGE)
  const isChanged = Object.keys(draft.changes).length > 0
  const reason = reasonOf(template)
  return (
    <EditPage
      title={titleOf(template)}
      hint={`${formatLanguage(template.language)} · ${t(`templates.category.${template.category}`)}`}
      isWide
      draft={draft}
      onSave={save}
      merge={MERGE}
      {...(isClosed ? {} : { problems: atFields(problems) })}
      actions={
        <>
          <State template={{ ...template, reason: null, recommendation: null }} />
          {!isClosed &&
            (template.status !== 'APPROVED' || template.has_local_changes || isChanged) && (
              <Submit
                isReady={problems.isCurrent && problems.found?.length === 0}
                onSubmit={async () => {
                  if (isChanged) await merged.save(draft.changes, draft.seen, save)
                  draft.discard()
                  keep(await call('POST /api/templates/{id}/publish', { params }))
                  notify(t('templates.submitted'))
                }}
              />
            )}
          <TemplateMenu template={template} />
        </>
      }
    >
      {reason !== '' && (
        <div className="template-reason" role="note">
          <p>
            <b>{t('templates.why')}</b> <span dir="auto">{reason}</span>
          </p>
          {template.status === 'REJECTED' && <p>{t('templates.try-again')}</p>}
        </div>
      )}
      {template.deleted_from_archive_at !== null && (
        <p className="template-reason" role="note">
          {t('templates.archived-until', { day: formatDate(template.deleted_from_archive_at) })}
        </p>
      )}
      <div className="template-columns-page">
        <div className="template-editor">
          {isClosed ? (
            <p className="muted">{t(closedText(template.status, mayChange))}</p>
          ) : (
            <Editor draft={draft} template={template} />
          )}
          <Use template={template} />
        </div>
        <div className="template-side">
          <Shown form={draft.value} template={template} />
          {!isClosed && <ProblemList {...problems} form={draft.value} />}
        </div>
      </div>
      <Versions template={template} />
      {merged.windows}
    </EditPage>
  )
}

/** Why a template cannot be changed. */
const closedText = (status: string, mayChange: boolean): TextKey =>
  !mayChange
    ? 'templates.may-not'
    : status === 'PENDING' || status === 'IN_APPEAL'
      ? 'templates.closed'
      : 'templates.closed-for-good'

/** Submits a template to WhatsApp once nothing speaks against it. */
function Submit({ isReady, onSubmit }: { isReady: boolean; onSubmit: () => Promise<void> }) {
  return (
    <WorkButton look="primary" icon="send" isDisabled={!isReady} onWork={onSubmit}>
      {t('templates.submit')}
    </WorkButton>
  )
}
