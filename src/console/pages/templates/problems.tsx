import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { call } from '../../api/client'
import { PlainButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { t, type TextKey } from '../../texts/texts'
import { contentOf, pathsOf, type Paths } from './content'
import type { TemplateForm } from './form'
import { problemSentence } from './problem-words'

/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 400

/** What WhatsApp would refuse. */
export interface Problems {
  /** `null` while nobody knows. */
  found: readonly { path: string; message: string }[] | null
  /** Whether it is about what is written now, and not about what stood there a moment ago. */
  isCurrent: boolean
}

/** Returns what is wrong at the fields. What is only empty yet is not said there. */
export function atFields({ found }: Problems): Record<string, string> {
  const said: Record<string, string> = {}
  for (const { path, message } of found ?? []) {
    const field = path.replace(/^body\./, '')
    if (!/^is required$|^must not be empty/.test(message))
      said[field] = [...(said[field] ? [said[field]] : []), problemSentence(message)].join(' ')
  }
  return said
}

/** Asks what WhatsApp would refuse, a moment after each change. */
export function useProblems(form: TemplateForm, templateId: string | null): Problems {
  const [asked, setAsked] = useState<string | null>(null)
  const wanted = JSON.stringify({
    ...contentOf(form),
    ...(templateId === null
      ? {
          ...(form.accountId === '' ? {} : { account_id: form.accountId }),
          ...(form.name === '' ? {} : { name: form.name }),
          language: form.language,
        }
      : { template_id: templateId }),
  })
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(wanted)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [wanted])
  const { data } = useQuery({
    queryKey: ['template-problems', asked],
    queryFn: ({ signal }) =>
      call('POST /api/templates/validate', {
        body: JSON.parse(asked ?? '{}') as ReturnType<typeof contentOf>,
        signal,
      }),
    enabled: asked !== null,
    // what was good before may be taken since
    staleTime: 0,
    gcTime: 0,
    placeholderData: (before) => before,
  })
  return { found: data?.errors ?? null, isCurrent: data !== undefined && asked === wanted }
}

/** Says what WhatsApp would refuse, and leads to the field. */
export function ProblemList({ found, isCurrent, form }: Problems & { form: TemplateForm }) {
  if (found === null || (found.length === 0 && !isCurrent)) return null
  if (found.length === 0)
    return (
      <p className="template-good" role="status">
        <Icon name="check" size={18} />
        {t('templates.no-problems')}
      </p>
    )
  return (
    <div className="template-problems" role="status">
      <h3>{t('templates.problems', { count: found.length })}</h3>
      <ul>
        {found.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <PlainButton
              className="link"
              onPress={() => {
                focusOn(path.replace(/^body\./, ''))
              }}
            >
              {placeOf(path, form)}
            </PlainButton>{' '}
            <span dir="auto">{problemSentence(message)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Leads to the field of a path, or to the first one of the part that it names. */
function focusOn(path: string): void {
  const fields = [...document.querySelectorAll<HTMLElement>('.template-editor [name]')]
  const named = (name: string): HTMLElement | undefined =>
    fields.find((one) => one.getAttribute('name')?.startsWith(name))
  const target = named(path) ?? named(path.split('.').slice(0, 2).join('.'))
  target?.focus()
  target?.scrollIntoView({ block: 'center' })
}

/** What people call the parts of a message. */
const PARTS = {
  HEADER: 'templates.header',
  BODY: 'templates.text',
  FOOTER: 'templates.footer',
  BUTTONS: 'templates.buttons',
  CAROUSEL: 'templates.cards',
  LIMITED_TIME_OFFER: 'templates.offer',
} as const satisfies Record<keyof Paths, TextKey>

/** Returns what people call the place of a problem. */
export function placeOf(path: string, form: TemplateForm): string {
  if (path.includes('media')) return t('templates.header')
  if (path.endsWith('ttl_seconds')) return t('templates.ttl')
  if (path.endsWith('.code_expiration_minutes')) return t('templates.code-minutes')
  if (path.endsWith('.example')) return t('templates.examples')
  if (path === 'body.name') return t('contact.name')
  if (path === 'body.category') return t('templates.category')
  if (path === 'body.account_id') return t('templates.number')
  const own = Object.entries(pathsOf(form)).find(([, at]) => `${path}.`.startsWith(`body.${at}.`))
  return t(own ? PARTS[own[0] as keyof Paths] : 'templates.text')
}
