import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { okText } from '../../../../http/read-answer'
import { ServerAttention } from '../../../delivery/realtime/attention/model'
import type { Lifecycle } from '../readiness'
import { FigureList, HealthReport } from './model'
import { ReadFigures } from './readers'
import { healthReport } from './report'
import type { HealthWatch } from './watch'

/** How the installation is, for its operators. */
export const installationHealthRoutes = (
  http: Http,
  parts: { health: HealthWatch; lifecycle: Lifecycle },
) =>
  new Elysia({ prefix: '/api/admin', tags: ['System'] })
    .use(guard(http))
    .get(
      '/health',
      async ({ ctx, query: { thorough = false } }) => ok(await healthReport(ctx, parts, thorough)),
      {
        can: 'super-admin',
        query: t.Object({
          thorough: t.Optional(
            t.BooleanString({
              description:
                'Whether to also check the structure of the database, and whether WhatsApp, the ' +
                'own address and the other servers respond. Takes up to half a minute.',
            }),
          ),
        }),
        response: { 200: Ok(HealthReport) },
        detail: {
          operationId: 'getInstallationHealth',
          summary: 'Get the health of the installation',
          description:
            'Returns what `switchboard doctor` finds, worst first, every setting with its source ' +
            '(secrets only as `set` or `unset`), sizes and the other servers. With `thorough`, the ' +
            'database is read beside the running work.',
        },
      },
    )
    .get('/attention', () => ok(parts.health.attention()), {
      can: 'super-admin',
      response: { 200: Ok(ServerAttention) },
      detail: {
        operationId: 'getServerAttention',
        summary: 'Count what needs an operator',
        description:
          'Sockets of super admins that watch the topic `server` get the event `server:attention` ' +
          'when it changes.',
      },
    })
    .get('/figures', async ({ ctx }) => okText(await ctx.reads.text(ReadFigures, ctx, null)), {
      can: 'super-admin',
      response: { 200: Ok(FigureList) },
      detail: {
        operationId: 'getInstallationFigures',
        summary: 'Get the figures of the last day',
        description:
          'Figures of the whole installation every five minutes, oldest first. They survive a ' +
          'restart. `/metrics` has more for a monitoring system.',
      },
    })
