import type { ComponentType } from 'react';
import * as icons from '../../ui/icons.js';
import type { StepType } from './model.js';

export const STEP_ICONS: Record<StepType, ComponentType> = {
  TRIGGER: icons.EventIcon,
  SEND_EMAIL: icons.MailIcon,
  DELAY: icons.ClockIcon,
  WAIT_FOR_EVENT: icons.ActivityIcon,
  CONDITION: icons.WorkflowIcon,
  WEBHOOK: icons.CodeIcon,
  UPDATE_CONTACT: icons.PeopleIcon,
  EXIT: icons.CheckIcon,
};
