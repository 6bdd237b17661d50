import { Elysia } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import type { Ctx } from '../../../../infra/ctx'
import {
  NewScheduledReport,
  ScheduledReportChanges,
  ScheduledReportList,
  ScheduledReportView,
} from './model'
import { getScheduledReport, listScheduledReports, viewOf } from './queries'
import {
  createScheduledReport,
  deleteScheduledReport,
  sendScheduledReport,
  updateScheduledReport,
} from './service'

const OWN = 'A report that somebody else made requires `settings:update`.'

/** Routes for reports that are mailed to members. */
export const scheduledReportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics/scheduled-reports', tags: ['Analytics'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(listScheduledReports(ctx)), {
      can: { permission: 'analytics:read', people: 'only' },
      response: { 200: Ok(ScheduledReportList) },
      detail: {
        operationId: 'listScheduledReports',
        summary: 'List scheduled reports',
        description: 'Lists those of the whole organization, oldest first.',
      },
    })
    .post('', ({ ctx, body, status }) => status(201, ok(createScheduledReport(ctx, body))), {
      can: { permission: 'analytics:read', people: 'only' },
      refuses: ['409 limit_reached', '409 mail_not_configured'],
      body: NewScheduledReport,
      response: { 201: Ok(ScheduledReportView) },
      detail: {
        operationId: 'createScheduledReport',
        summary: 'Schedule a report',
        description:
          'Mails reports on the full week or month before, with their tables as CSV files. Each ' +
          'week or month is sent once; after downtime only the newest one, within three days. Who ' +
          'may not read reports any more at that time gets no email and is taken off. An ' +
          'organization can have 20 of them.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateScheduledReport(ctx, params.id, body)), {
      can: { permission: 'analytics:read', people: 'only' },
      unlessChanged: (ctx: Ctx, id: string) => viewOf(ctx, getScheduledReport(ctx, id)),
      params: IdParam,
      body: ScheduledReportChanges,
      response: { 200: Ok(ScheduledReportView) },
      detail: {
        operationId: 'updateScheduledReport',
        summary: 'Change a scheduled report',
        description: OWN,
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteScheduledReport(ctx, params.id)
        return ok({ message: 'The scheduled report is deleted.' })
      },
      {
        can: { permission: 'analytics:read', people: 'only' },
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteScheduledReport',
          summary: 'Delete a scheduled report',
          description: OWN,
        },
      },
    )
    .post(
      '/:id/send',
      ({ ctx, params, status }) => {
        sendScheduledReport(ctx, params.id)
        return status(202, ok({ message: 'The emails are on their way.' }))
      },
      {
        can: { permission: 'analytics:read', people: 'only', bulk: true },
        refuses: ['409 mail_not_configured'],
        params: IdParam,
        response: { 202: Ok(MessageAnswer) },
        detail: {
          operationId: 'sendScheduledReport',
          summary: 'Send a scheduled report now',
          description: `Sends the last full week or month, also if it was sent already. ${OWN}`,
        },
      },
    )
