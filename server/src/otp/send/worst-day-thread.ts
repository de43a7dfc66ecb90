/** A thread that plays one worst day, sends the result, and ends. */

import { parentPort, workerData } from 'node:worker_threads';
import { worstDay } from '../../protection/protection.ts';
import { planOf, type WorstDayFacts } from './worst-day-plan.ts';

parentPort?.postMessage(worstDay(planOf(workerData as WorstDayFacts)));
