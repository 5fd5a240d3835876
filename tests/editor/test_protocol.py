"""The server with a client that somebody else wrote: pytest-lsp checks every message against the protocol's types.

    RANKLINT=target/debug/ranklint .venv/bin/python -m pytest tests/editor

Needs pytest-lsp; without it, or without RANKLINT, the tests are passed over.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_lsp = pytest.importorskip("pytest_lsp")
types = pytest.importorskip("lsprotocol.types")

PROGRAM = os.environ.get("RANKLINT", "")
if not PROGRAM:
    pytest.skip("RANKLINT does not name the program", allow_module_level=True)

JOB = "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two files, one of them with a finding."""
    (tmp_path / "ranklint.toml").write_text("")
    (tmp_path / "job.py").write_text(JOB)
    (tmp_path / "sound.py").write_text("x = 1\n")
    return tmp_path


@pytest.mark.parametrize("name", ["visual_studio_code", "neovim", "emacs"])
@pytest.mark.asyncio
async def test_a_session_of_each_editor(project: Path, name: str) -> None:
    """Greets, opens, asks or is told, hovers, acts, says goodbye, with the capabilities that the editor announces."""
    capabilities = pytest_lsp.client_capabilities(name)
    program = str(Path(PROGRAM).resolve())
    config = pytest_lsp.ClientServerConfig(server_command=[program, "server"])
    client = await config.start()
    try:
        folder = types.WorkspaceFolder(uri=project.as_uri(), name="project")
        params = types.InitializeParams(
            capabilities=capabilities, root_uri=project.as_uri(), workspace_folders=[folder], process_id=None
        )
        result = await client.initialize_session(params)
        uri = (project / "job.py").as_uri()
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=JOB)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        document = types.TextDocumentIdentifier(uri=uri)
        if result.capabilities.diagnostic_provider:
            asked = types.DocumentDiagnosticParams(text_document=document)
            report = await client.text_document_diagnostic_async(asked)
            items = report.items
        else:
            while not client.diagnostics.get(uri):
                await client.wait_for_notification("textDocument/publishDiagnostics")
            items = client.diagnostics[uri]
        assert [item.code for item in items] == ["conditional-collective"]
        assert items[0].range.start == types.Position(line=5, character=8)

        position = types.Position(line=5, character=12)
        hover = await client.text_document_hover_async(types.HoverParams(text_document=document, position=position))
        assert "reached by some ranks only" in hover.contents.value
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(
                text_document=document,
                range=types.Range(start=position, end=position),
                context=types.CodeActionContext(diagnostics=list(items)),
            )
        )
        assert "ignore `conditional-collective` here" in [action.title for action in actions]
    finally:
        await client.shutdown_session()
        await client.stop()


@pytest.mark.asyncio
async def test_everything_that_is_offered(project: Path) -> None:
    """Reports the workspace, follows small edits, offers fixes, lenses and notebooks; each answer fits its type."""
    capabilities = pytest_lsp.client_capabilities("visual_studio_code")
    # What has been added to editors since these were written down.
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(related_document_support=True)
    program = str(Path(PROGRAM).resolve())
    client = await pytest_lsp.ClientServerConfig(server_command=[program, "server"]).start()
    try:
        folder = types.WorkspaceFolder(uri=project.as_uri(), name="project")
        result = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                root_uri=project.as_uri(),
                workspace_folders=[folder],
                process_id=None,
                initialization_options={"codeLens": True},
            )
        )
        offered = result.capabilities
        assert offered.diagnostic_provider.workspace_diagnostics
        assert offered.code_lens_provider and offered.notebook_document_sync
        whole = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=[]))
        assert [(item.uri, len(item.items)) for item in whole.items] == [((project / "job.py").as_uri(), 1)]
        first = whole.items[0].items[0]
        assert first.code_description.href.startswith("file://")
        assert [at.location.range.start.line for at in first.related_information]

        uri = (project / "sound.py").as_uri()
        document = types.TextDocumentIdentifier(uri=uri)
        text = "import os, torch.distributed as dist\ndef f(x):\n"
        text += "    for n in os.listdir('.'):\n        dist.all_reduce(x[n])\n"
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        asked = types.DocumentDiagnosticParams(text_document=document)
        report = await client.text_document_diagnostic_async(asked)
        found = {item.code: item for item in report.items}
        context = types.CodeActionContext(diagnostics=list(report.items), only=[types.CodeActionKind.QuickFix])
        at = found["unordered-iteration"].range
        params = types.CodeActionParams(text_document=document, range=at, context=context)
        actions = await client.text_document_code_action_async(params)
        fixes = [action for action in actions if getattr(action, "is_preferred", False)]
        assert [edit.new_text for edit in fixes[0].edit.changes[uri]] == ["sorted(", ")"]
        # Two lines, one after the other, each by its range.
        changes = [
            types.TextDocumentContentChangePartial(
                range=types.Range(types.Position(line, 0), types.Position(line + 1, 0)),
                text=text,
            )
            for line, text in [(3, "        pass\n"), (2, "    for n in []:\n")]
        ]
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2), content_changes=changes
            )
        )
        assert not (await client.text_document_diagnostic_async(asked)).items

        lenses = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
        assert list(lenses) == []
        cell = types.NotebookCell(kind=types.NotebookCellKind.Code, document="cell:1")
        client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(
                notebook_document=types.NotebookDocument(
                    uri=(project / "n.ipynb").as_uri(), notebook_type="jupyter-notebook", version=1, cells=[cell]
                ),
                cell_text_documents=[
                    types.TextDocumentItem(uri="cell:1", language_id="python", version=1, text="%time\n" + JOB)
                ],
            )
        )
        asked = types.DocumentDiagnosticParams(text_document=types.TextDocumentIdentifier(uri="cell:1"))
        report = await client.text_document_diagnostic_async(asked)
        assert [(item.code, item.range.start.line) for item in report.items] == [("conditional-collective", 6)]
    finally:
        await client.shutdown_session()
        await client.stop()
