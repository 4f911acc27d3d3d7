import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Application } from './app/application.js';
import { keepFocus } from './app/focus-keeper.js';
import './styles.css';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
keepFocus();
createRoot(root).render(
  <StrictMode>
    <Application />
  </StrictMode>,
);
